/** Finds what the session speaks of in a transcript. */
import type { CallBlock, Exchange, Transcript } from "../transcript/types.ts";
import type { Anchor, TrackedCall } from "./session.ts";

/** The exchange that begins at the anchor; null when the person removed its first line. */
export function anchoredExchange(
  transcript: Transcript,
  anchor: Anchor | undefined,
): Exchange | null {
  if (anchor === undefined) return null;
  return transcript.exchanges.find((exchange) => exchange.range.start === anchor.line) ?? null;
}

export function anchorOf(transcript: Transcript, exchange: Exchange): Anchor {
  return { line: exchange.range.start, text: transcript.lines[exchange.range.start] ?? "" };
}

/** The exchange a line is in; the nearest one above for lines between, the first for lines of the header. */
export function exchangeAtLine(transcript: Transcript, line: number): Exchange | null {
  const { exchanges } = transcript;
  let found = exchanges[0] ?? null;
  for (const exchange of exchanges) {
    if (exchange.range.start > line) break;
    found = exchange;
  }
  return found;
}

/** The call without result that stands, character for character, where the session knows it. */
export function trackedBlock(
  transcript: Transcript,
  tracked: TrackedCall,
): { readonly exchange: Exchange; readonly block: CallBlock } | null {
  const exchange = exchangeAtLine(transcript, tracked.line);
  for (const step of exchange?.answer?.steps ?? []) {
    const block = step.calls.find((call) => call.line === tracked.line);
    if (exchange && block?.lineText === tracked.text && block.result === null) {
      return { exchange, block };
    }
  }
  return null;
}
