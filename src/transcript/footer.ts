import { isBlank } from "./code.ts";

function isFootnote(line: string): boolean {
  return line.startsWith("[^") && /^\[\^[^\]]+\]:/.test(line);
}

/**
 * First line of the footer of `[^id]:` lines at the very end, the `---` above it included (format,
 * section 1); the number of lines when there is none.
 */
export function findFooter(lines: readonly string[], from: number): number {
  let seen = false;
  for (let line = lines.length - 1; line >= from; line -= 1) {
    const text = lines[line] ?? "";
    if (isFootnote(text)) seen = true;
    else if (/^---[ \t]*$/.test(text)) return seen ? line : lines.length;
    else if (!isBlank(text) && !/^[ \t]/.test(text)) return lines.length;
  }
  return lines.length;
}
