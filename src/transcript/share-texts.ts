/** Keeps the text of a chat in memory only once: lines that also occur in an answer's text become substrings of it. */

import { createYield } from "../shared/event-loop.ts";
import type { Exchange, Question, TextBlock } from "./transcript.ts";

/** V8 copies shorter substrings, and keeps longer ones as a position in their text, in 32 bytes. */
const shortestPart = 13;

/**
 * Replaces lines by equal texts that use less memory: long ones by a substring of the answer's text, equal short ones
 * by one shared text. Works a little in each turn of the event loop; `linesNow` returns the lines that `exchanges` were
 * parsed from, or what became of them since.
 */
export async function shareTexts(
  linesNow: () => string[],
  exchanges: readonly Exchange[],
): Promise<void> {
  const yieldNow = createYield();
  const short = new Map<string, string>();
  for (const { range, question, answer } of exchanges) {
    const lines = linesNow();
    for (let line = range.start; line < range.end; line += 1) shareShort(lines, line, short);
    shareLong(lines, question);
    for (const { blocks } of answer?.steps ?? []) {
      for (const block of blocks) if (block.kind === "text") shareLong(lines, block);
    }
    await yieldNow();
  }
}

function shareShort(lines: string[], line: number, known: Map<string, string>): void {
  const text = lines[line];
  if (text === undefined || text.length >= shortestPart) return;
  const same = known.get(text);
  if (same === undefined) known.set(text, text);
  else lines[line] = same;
}

function shareLong(lines: string[], { range, text }: Question | TextBlock): void {
  let start = 0;
  for (let line = range.start; line < range.end; line += 1) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next;
    const part = text.slice(start, end);
    // A line that is escaped, or was changed, differs from the text.
    if (part.length >= shortestPart && part === lines[line]) lines[line] = part;
    start = end + 1;
  }
}
