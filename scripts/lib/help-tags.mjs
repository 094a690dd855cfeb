// Generates help tags as `:helptags` does, for a release that is made without Neovim.

/** Returns the text of doc/tags for the help pages among `files`, each `{ path, text }`. */
export function helpTags(files) {
  const lines = files
    .filter(({ path }) => /^doc\/.*\.txt$/.test(path))
    .flatMap(({ path, text }) => tagsIn(text).map((tag) => [tag, path.slice("doc/".length)]));
  const sorted = lines.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const escaped = (tag) => tag.replaceAll(/[\\/]/g, "\\$&");
  return sorted.map(([tag, page]) => `${tag}\t${page}\t/*${escaped(tag)}*\n`).join("");
}

/** Returns the tags: text between two stars, surrounded by blanks or line ends, and not in an example. */
function tagsIn(text) {
  const tags = [];
  let inExample = false;
  for (const line of text.split("\n")) {
    if (inExample && /^\S/.test(line)) inExample = false;
    if (!inExample) {
      for (const [, tag] of line.matchAll(/(?<=^|[ \t])\*([^*\s|]+)\*(?=[ \t]|$)/g)) tags.push(tag);
    }
    if (/(^| )>(\w*)$/.test(line)) inExample = true;
  }
  return tags;
}
