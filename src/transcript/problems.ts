/** Every problem that a chat may have, with its level, and the edits that fix some of them. */
import { closingFence, type Fence, fenceFor } from "./code.ts";
import type { Edit, LineRange, Problem, ProblemLevel } from "./transcript.ts";

/** Every problem of a transcript that can be reported, with its level. The one place where levels are chosen. */
export const problemLevels = {
  "broken-call": "error",
  "git-conflict": "error",
  "unknown-decision": "warning",
  "duplicate-call-id": "warning",
  "orphan-result": "warning",
  "malformed-result": "warning",
  "bare-result": "warning",
  "malformed-comment": "warning",
  "stale-mark": "warning",
  "below-mark": "warning",
  "second-answer": "warning",
  "look-alike": "warning",
  "unclosed-legacy": "warning",
  "unclosed-fence": "warning",
  "marker-in-fence": "warning",
  "unclosed-header": "warning",
  "unusable-header-value": "warning",
  "text-before-question": "info",
  footnotes: "info",
} as const satisfies Record<string, ProblemLevel>;

export type ProblemCode = keyof typeof problemLevels;

/** A problem at the start of a line. */
export function problemAt(
  line: number,
  code: ProblemCode,
  message: string,
  fixes: Problem["fixes"] = [],
): Problem {
  const problem = { line, column: 0, level: problemLevels[code], code, message };
  return fixes.length === 0 ? problem : { ...problem, fixes };
}

export type Fix = NonNullable<Problem["fixes"]>[number];

/** Turns the line into text (format, section 2). */
export function escapeStructure(lines: readonly string[], line: number): Fix {
  return {
    title: "Turn the line into text with a backslash",
    edits: [{ start: line, end: line + 1, lines: [`\\${lines[line] ?? ""}`] }],
  };
}

/** Closes the fence above a line. */
export function closeFence(fence: Fence, above: number): Fix {
  const edit: Edit = { start: above, end: above, lines: [closingFence(fence)] };
  return { title: "Close the fence here", edits: [edit] };
}

/** Encloses the lines in a fence that none of them closes. */
export function fenceAround(lines: readonly string[], { start, end }: LineRange): Fix {
  const text = lines.slice(start, end);
  const fence = fenceFor(text.join("\n"));
  return {
    title: "Put a fence around the text",
    edits: [{ start, end, lines: [fence, ...text, fence] }],
  };
}

export function deleteLine(line: number): Fix {
  return { title: "Delete the line", edits: [{ start: line, end: line + 1, lines: [] }] };
}
