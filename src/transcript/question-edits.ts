/** Foreign text as a question: it stays text, whatever its lines look like (format, section 2). */
import { gapAbove, gapBelow, questionLine, skipBlanksUp } from "./layout.ts";
import { escapeLine, markerAt, toLineFeeds } from "./markers.ts";
import type { Edit, Exchange, Transcript } from "./types.ts";

/**
 * Writes text into the question of the exchange, below what stands there already; into a new question at the end when
 * the exchange has an answer. References in the text are references.
 */
export function insertQuestion(
  transcript: Transcript,
  exchange: Exchange | null,
  text: string,
): Edit {
  const lines = toLineFeeds(text).split("\n");
  const [first = "", ...rest] = lines;
  const question = [`${questionLine}${first}`, ...rest.map(escapeLine)];
  if (exchange === null || exchange.answer !== null) {
    const end = transcript.exchanges.at(-1)?.range.end ?? transcript.lines.length;
    const at = skipBlanksUp(transcript.lines, end, transcript.header.range?.end ?? 0);
    const gap = gapAbove(transcript.lines, at);
    return { start: at, end: at, lines: [...gap, ...question, ...gapBelow(transcript.lines, at)] };
  }
  const { start } = exchange.question.range;
  if (exchange.question.text === "") return { start, end: start + 1, lines: question };
  const end = skipBlanksUp(transcript.lines, shownEnd(transcript, exchange), start + 1);
  const gap = gapBelow(transcript.lines, end);
  return { start: end, end, lines: ["", ...lines.map(escapeLine), ...gap] };
}

/** What stands below a `🔒:` is not sent. */
function shownEnd({ lines }: Transcript, { question }: Exchange): number {
  const { start, end } = question.range;
  for (let at = start + 1; at < end; at += 1) {
    if (markerAt(lines[at] ?? "")?.name === "private") return at;
  }
  return end;
}
