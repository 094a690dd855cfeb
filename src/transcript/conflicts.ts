/** Conflicts that git left in a chat: two versions of the same lines, of which nothing may be sent before one is chosen. */
import { markerAt } from "./markers.ts";
import { type Fix, problemAt } from "./problems.ts";
import type { Problem } from "./transcript.ts";

interface Conflict {
  /** The `<<<<<<< ` line. */
  readonly start: number;
  /** First line that is not of the upper side: `||||||| ` or `=======`. */
  readonly upperEnd: number;
  /** The `=======` line. */
  readonly middle: number;
  /** The `>>>>>>> ` line. */
  readonly end: number;
}

/** One problem for each conflict, with a choice of both sides. One pass over the lines. */
export function conflictProblems(lines: readonly string[]): Problem[] {
  return findConflicts(lines)
    .filter((conflict) => !isInFence(lines, conflict))
    .map((conflict) => {
      const message =
        "Git left a conflict here, so nothing of this chat is sent. Choose a side with :Parley fix, or edit the lines.";
      return problemAt(conflict.start, "git-conflict", message, sides(lines, conflict));
    });
}

function findConflicts(lines: readonly string[]): Conflict[] {
  const found: Conflict[] = [];
  let start = -1;
  let base = -1;
  let middle = -1;
  for (let line = 0; line < lines.length; line += 1) {
    const text = lines[line] ?? "";
    const first = text.charCodeAt(0);
    // `<`, `=`, `>`, `|`: most lines are none of these.
    if (first !== 0x3c && first !== 0x3d && first !== 0x3e && first !== 0x7c) continue;
    if (/^<{7}(?: |$)/.test(text)) {
      start = line;
      base = -1;
      middle = -1;
    } else if (start >= 0 && middle < 0 && /^\|{7}(?: |$)/.test(text)) {
      base = line;
    } else if (start >= 0 && middle < 0 && /^={7}\r?$/.test(text)) {
      middle = line;
    } else if (middle >= 0 && /^>{7}(?: |$)/.test(text)) {
      found.push({ start, upperEnd: base >= 0 ? base : middle, middle, end: line });
      start = -1;
      middle = -1;
    }
  }
  return found;
}

/** A conflict that stands wholly in one fence is an example that somebody wrote. */
function isInFence(lines: readonly string[], { start, end }: Conflict): boolean {
  const isFence = (line: number) => /^ {0,3}(?:`{3,}|~{3,})/.test(lines[line] ?? "");
  for (let line = start; line <= end; line += 1) {
    if (isFence(line) || markerAt(lines[line] ?? "") !== null) return false;
  }
  let fences = 0;
  for (let line = start - 1; line >= 0 && markerAt(lines[line] ?? "") === null; line -= 1) {
    if (isFence(line)) fences += 1;
  }
  return fences % 2 === 1;
}

function sides(lines: readonly string[], { start, upperEnd, middle, end }: Conflict): Fix[] {
  const side = (title: string, from: number, to: number): Fix => ({
    title,
    edits: [{ start, end: end + 1, lines: lines.slice(from, to) }],
  });
  const name = (line: number) => (lines[line] ?? "").slice(8, 60).trim();
  const named = (line: number) => (name(line) === "" ? "" : ` (${name(line)})`);
  return [
    side(`Keep the upper side${named(start)}`, start + 1, upperEnd),
    side(`Keep the lower side${named(end)}`, middle + 1, end),
  ];
}
