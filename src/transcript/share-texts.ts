/** The letters of a chat kept once: lines that stand in the text of an answer become parts of that text. */

import { createYield } from "../shared/event-loop.ts";
import type { Exchange, Question, TextBlock } from "./transcript.ts";

/** V8 copies shorter parts of a text, and keeps longer ones as a place in it, in 32 bytes. */
const shortestPart = 13;

/**
 * Puts other texts of the same letters in the place of lines: long ones that need no letters of their own, and of equal
 * short ones always the same. A little in each turn of the event loop; `linesNow` are those that `exchanges` were parsed
 * from, or what became of them since.
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
    // What is escaped in its line, or was changed, stands otherwise in the text.
    if (part.length >= shortestPart && part === lines[line]) lines[line] = part;
    start = end + 1;
  }
}
