/** A shared chat as one HTML file: light and dark, with its images in it, without scripts, loading nothing. */
import { createHash } from "node:crypto";
import { visible } from "../../shared/visible.ts";
import { escapeHtml, markdownHtml } from "./markdown-html.ts";
import type { Page, PageImages } from "./page.ts";
import { type SharedCall, type SharedPart, type SharedTurn, statusWords } from "./shared-chat.ts";

/** The style of the page. Every text has a contrast of at least 4.5 to its background, light and dark. */
const pageStyle = `
:root {
  --ground: #ffffff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0;
  --question: #eef4fb; --code: #f4f5f7; --link: #0b5cad;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15181c; --text: #e3e6ea; --quiet: #9aa4af; --line: #3a414a;
    --question: #1f2a38; --code: #20252b; --link: #79b8ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 16px/1.6 system-ui, sans-serif; overflow-wrap: break-word;
}
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; }
a { color: var(--link); }
section { margin: 1.5rem 0; }
section > :first-child { margin-top: 0; }
section > :last-child { margin-bottom: 0; }
.question { background: var(--question); border-radius: 0.6rem; padding: 0.8rem 1rem; }
.label, .status, .missing { color: var(--quiet); font-size: 0.875rem; }
.label { margin: 0 0 0.4rem; }
.missing::before { content: "not here: "; }
details { border: 1px solid var(--line); border-radius: 0.4rem; margin: 0.8rem 0; padding: 0.3rem 0.8rem; }
details + details { margin-top: -0.3rem; }
summary { cursor: pointer; }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; }
code { background: var(--code); border-radius: 0.25rem; padding: 0.1em 0.3em; }
pre { background: var(--code); border-radius: 0.4rem; padding: 0.7rem 0.9rem; overflow-x: auto; }
pre code { background: none; padding: 0; }
details pre { max-height: 24rem; overflow: auto; white-space: pre-wrap; }
img { max-width: 100%; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; }
th, td { text-align: left; }
.right { text-align: right; }
.center { text-align: center; }
blockquote { border-left: 3px solid var(--line); color: var(--quiet); margin-left: 0; padding-left: 1rem; }
hr { border: 0; border-top: 1px solid var(--line); }
@media print { main { max-width: none; padding: 0; } section { break-inside: avoid-page; } }
`;

const styleHash = createHash("sha256").update(pageStyle).digest("base64");
/** A second barrier: a browser neither runs nor fetches what gets past the escaping. */
const policy = `default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`;

export function htmlPage(title: string): Page {
  return { turn: turnHtml, whole: (turns) => pageHtml(title, turns) };
}

function pageHtml(title: string, turns: readonly string[]): string {
  const shown = escapeHtml(visible(title));
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${shown}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<h1 dir="auto">${shown}</h1>
${turns.join("\n")}
</main>
</body>
</html>
`;
}

function turnHtml({ question, answer }: SharedTurn, images: PageImages): string {
  const asked =
    question.length === 0
      ? ""
      : `<section class="question" dir="auto">\n${partsHtml(question, images)}\n</section>\n`;
  if (answer === null) return asked;
  const label = `<p class="label">${escapeHtml(visible(answer.label))}</p>`;
  return `${asked}<section class="answer" dir="auto">\n${label}\n${partsHtml(answer.parts, images)}\n</section>`;
}

function partsHtml(parts: readonly SharedPart[], images: PageImages): string {
  return parts.map((part) => partHtml(part, images)).join("\n");
}

function partHtml(part: SharedPart, images: PageImages): string {
  switch (part.type) {
    case "text":
      return markdownHtml(part.text);
    case "image":
      return imageHtml(part, images);
    case "call":
      return callHtml(part, images);
  }
}

function imageHtml(
  { file, alt }: Extract<SharedPart, { type: "image" }>,
  images: PageImages,
): string {
  const image = images.next(file);
  const words = escapeHtml(alt === "" ? file : alt);
  if (image === null) return `<p class="missing">${words}</p>`;
  const { number, address } = image;
  return address === null
    ? `<p><a href="#image-${number}">${words}</a></p>`
    : `<p><img id="image-${number}" src="${escapeHtml(address)}" alt="${words}"></p>`;
}

function callHtml(call: SharedCall, images: PageImages): string {
  const result = call.result === null || call.result === "" ? "" : `\n${preHtml(call.result)}`;
  const media = call.images.map((image) => `\n${imageHtml(image, images)}`).join("");
  const name = escapeHtml(visible(call.name));
  return `<details>
<summary><code>${name}</code> <span class="status">${statusWords[call.status]}</span></summary>
${preHtml(call.arguments)}${result}${media}
</details>`;
}

function preHtml(text: string): string {
  // A browser drops a line break right after the tag.
  return `<pre><code>${escapeHtml(text)}</code></pre>`;
}
