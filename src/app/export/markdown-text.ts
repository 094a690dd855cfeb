/** Markdown without HTML in it, for readers that would take it as such. */
import markdownIt from "markdown-it";

const reader = markdownIt({ html: true });

/** In a few rounds, since a text without one tag may show another; what still has some loses every `<`. */
const rounds = 3;

/** Text in which no reader of Markdown finds HTML; only lines of paragraphs that hold some are changed. */
export function withoutHtml(text: string): string {
  let lines = text.split("\n");
  for (let round = 0; round < rounds; round += 1) {
    const ranges = htmlRanges(lines.join("\n"));
    if (ranges.length === 0) return lines.join("\n");
    for (const [start, end] of ranges) {
      lines = lines.map((line, at) => (at >= start && at < end ? escaped(line) : line));
    }
  }
  return htmlRanges(lines.join("\n")).length === 0
    ? lines.join("\n")
    : lines.map(escaped).join("\n");
}

function escaped(line: string): string {
  return line.replaceAll("<", "&lt;");
}

/** The lines of blocks that are HTML or have some between their words; the end is exclusive. */
function htmlRanges(text: string): readonly (readonly [number, number])[] {
  return reader.parse(text, {}).flatMap(({ type, map, children }) => {
    const hasHtml =
      type === "html_block" || children?.some((child) => child.type === "html_inline");
    return hasHtml && map !== null ? [map] : [];
  });
}
