/**
 * What a running session knows beside the text: which keys were pressed for which lines, what runs, and the
 * turn. Plain data, so that every decision stays a function of the text and of this (format, section 8).
 */

import type { CallBlock, Exchange, Transcript } from "../../transcript/transcript.ts";
import type { Splice } from "../editor.ts";

/** A line somebody cares about; it moves with the edits above it and is lost when its own text changes. */
export interface Anchor {
  readonly line: number;
  /** The exact text of the line when it was anchored. */
  readonly text: string;
}

/** A call that a key, a verified memory or a rule allowed in this session. */
export interface TrackedCall extends Anchor {
  /** `approved`: may start. `running`: started, no result yet. `ran`: its result was written, or thrown away. */
  readonly state: "approved" | "running" | "ran";
  /** Which tool was approved, by `toolIdentity`: another one of the same name is not what was on screen. */
  readonly tool: string;
  /** Number of the run, set once it started; see run-tools.ts. */
  readonly run?: number;
}

export interface RunningTurn {
  /** First line of the exchange (its `💬:` line). */
  readonly exchange: Anchor;
  /** Model requests made so far in this turn. */
  readonly modelCalls: number;
  /** How often each call (name and arguments) was proposed in this turn, by `callKey`. */
  readonly callCounts: Readonly<Record<string, number>>;
  /** Responses so far with a call that could not be read. */
  readonly unreadable: number;
}

export interface Session {
  readonly calls: readonly TrackedCall[];
  readonly turn: RunningTurn | null;
  /** The exchange responded to last in this session: its calls may be offered though it is not the last one. */
  readonly respondedTo: Anchor | null;
}

export const emptySession: Session = { calls: [], turn: null, respondedTo: null };

function moveAnchor<T extends Anchor>(anchor: T, splice: Splice): T | null {
  if (anchor.line < splice.start) return anchor;
  if (anchor.line >= splice.end) {
    const shift = splice.lines.length - (splice.end - splice.start);
    return shift === 0 ? anchor : { ...anchor, line: anchor.line + shift };
  }
  // The line itself was replaced. Editors often replace a whole region to change one line of it, so the same
  // text in the new region is the same line, but only when there is no doubt which one it is.
  const first = splice.lines.indexOf(anchor.text);
  if (first < 0 || splice.lines.indexOf(anchor.text, first + 1) >= 0) return null;
  return { ...anchor, line: splice.start + first };
}

/**
 * The first line of an exchange is where it is found, not what was approved: a person may go on typing in the
 * question while its answer streams, so a changed line in the same place is still the same question. It may even
 * lose its marker for a moment, as when the whole line is typed anew; until it is back nothing is found there.
 */
function moveExchange(anchor: Anchor, splice: Splice): Anchor | null {
  const moved = moveAnchor(anchor, splice);
  if (moved !== null || splice.lines.length !== splice.end - splice.start) return moved;
  return { line: anchor.line, text: splice.lines[anchor.line - splice.start] ?? "" };
}

/** The session after lines of the text were replaced. Calls whose line is gone are no longer in it. */
export function moveSession(session: Session, splice: Splice): Session {
  const calls = session.calls
    .map((call) => moveAnchor(call, splice))
    .filter((call): call is TrackedCall => call !== null);
  const exchange = session.turn && moveExchange(session.turn.exchange, splice);
  return {
    calls,
    turn: session.turn && exchange ? { ...session.turn, exchange } : null,
    respondedTo: session.respondedTo && moveExchange(session.respondedTo, splice),
  };
}

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
