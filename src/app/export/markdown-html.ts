/** Renders Markdown from untrusted sources as HTML that runs nothing and loads nothing. */
import markdownIt from "markdown-it";

/** The schemes that a link may have. Other links stay plain text. */
const followed = /^(?:https?:\/\/|mailto:)/i;

const markdown = createMarkdown();

/** HTML in the text is shown as text; an image becomes a link, since a shared page loads nothing. */
export function markdownHtml(text: string): string {
  return markdown.render(text);
}

export function escapeHtml(text: string): string {
  return markdown.utils.escapeHtml(text);
}

function createMarkdown() {
  const made = markdownIt({ html: false, linkify: true });
  // Words with a dot in them, such as file names, are not addresses.
  made.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  made.validateLink = (url) => followed.test(url);
  const { rules } = made.renderer;
  const standard =
    rules.link_open ?? ((tokens, at, options, _, self) => self.renderToken(tokens, at, options));
  rules.link_open = (tokens, at, options, env, self) => {
    tokens[at]?.attrSet("rel", "noopener noreferrer");
    return standard(tokens, at, options, env, self);
  };
  for (const tag of ["th", "td"]) {
    rules[`${tag}_open`] = (tokens, at) => {
      const side = /(right|center)/.exec(String(tokens[at]?.attrGet("style")))?.[0];
      // The policy of the page blocks style attributes.
      return side === undefined ? `<${tag}>` : `<${tag} class="${side}">`;
    };
  }
  rules.image = (tokens, at, options, env, self) => {
    const token = tokens[at];
    const target = token?.attrGet("src") ?? "";
    const alt = self.renderInlineAsText(token?.children ?? [], options, env);
    const words = escapeHtml(alt === "" ? String(target) : alt);
    return `<a href="${escapeHtml(String(target))}" rel="noopener noreferrer">${words}</a>`;
  };
  return made;
}
