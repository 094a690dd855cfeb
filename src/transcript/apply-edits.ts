import type { Edit } from "./types.ts";

/** An edit of lines that are more than their text. */
type EditOf<Line> = Omit<Edit, "lines"> & { readonly lines: readonly Line[] };

/**
 * The lines after all edits, which were computed against `lines`. Throws a RangeError, and changes
 * nothing, when the edits are not in order, overlap, or lie outside of the text.
 */
export function applyEdits<Line = string>(
  lines: readonly Line[],
  edits: readonly EditOf<Line>[],
): Line[] {
  const result: Line[] = [];
  let done = 0;
  for (const { start, end, lines: replacement } of edits) {
    if (!(start >= done && end >= start && end <= lines.length)) {
      throw new RangeError(
        `The edit of lines ${start} to ${end} is out of order, overlaps another one, or lies outside of ${lines.length} lines; nothing was changed.`,
      );
    }
    for (const line of lines.slice(done, start)) result.push(line);
    for (const line of replacement) result.push(line);
    done = end;
  }
  for (const line of lines.slice(done)) result.push(line);
  return result;
}
