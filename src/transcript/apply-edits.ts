import type { Edit } from "./types.ts";

/**
 * The lines after all edits, which were computed against `lines`. Throws a RangeError, and changes
 * nothing, when the edits are not in order, overlap, or lie outside of the text.
 */
export function applyEdits(lines: readonly string[], edits: readonly Edit[]): string[] {
  const result: string[] = [];
  let done = 0;
  for (const { start, end, lines: replacement } of edits) {
    if (!(start >= done && end >= start && end <= lines.length)) {
      throw new RangeError(
        `The edit of lines ${start} to ${end} is out of order, overlaps another one, or lies outside of ${lines.length} lines; nothing was changed.`,
      );
    }
    for (let line = done; line < start; line += 1) result.push(lines[line] ?? "");
    for (const line of replacement) result.push(line);
    done = end;
  }
  for (let line = done; line < lines.length; line += 1) result.push(lines[line] ?? "");
  return result;
}
