import { markerAt, unescapeLine } from "./markers.ts";
import { noFence, passEnd, passLine, passMarker } from "./open-fence.ts";
import { dropBranchLinks, readReferences } from "./references.ts";
import type { Problem, Question, Reference } from "./types.ts";

export interface QuestionReading {
  readonly question: Question;
  readonly problems: readonly Problem[];
}

/**
 * Reads the question whose `💬:` line is `start`. It ends at the next `💬:` or `🤖:`, or at `end`; every
 * other marker but `🌿:` and `🔒:` is text here (format, section 1).
 */
export function parseQuestion(
  lines: readonly string[],
  start: number,
  end: number,
): QuestionReading {
  const text: string[] = [];
  const references: Reference[] = [];
  const problems: Problem[] = [];
  const fence = noFence();
  let hidden = false;
  let at = start;
  for (; at < end; at += 1) {
    const line = lines[at] ?? "";
    const marker = markerAt(line);
    const name = marker?.name;
    if (at > start && (name === "question" || name === "answer")) break;
    if (name === "private") hidden = true;
    if (hidden || name === "branch") continue;
    const content = at === start ? line.slice(marker?.text.length ?? 0) : unescapeLine(line);
    passLine(fence, content, at);
    text.push(content);
    for (const reference of readReferences(content, at)) references.push(reference);
  }
  const closed = at < lines.length && markerAt(lines[at] ?? "") !== null;
  const problem = closed ? passMarker(fence, lines, at, "question") : passEnd(fence, lines, at);
  if (problem !== null) problems.push(problem);
  const range = { start, end: at };
  return {
    question: { range, text: dropBranchLinks(text.join("\n")).trim(), references },
    problems,
  };
}
