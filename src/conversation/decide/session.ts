/**
 * What a running session knows besides the text: which keys were pressed for which lines, what runs, and the turn.
 * Plain data, so that every decision stays a function of the text and of this (format, section 8).
 */

import { markerAt } from "../../transcript/markers.ts";
import type { CallBlock, Exchange, Transcript } from "../../transcript/transcript.ts";
import type { Splice } from "../editor.ts";

/** A line to keep track of; it moves with the edits above it and is lost when its own text changes. */
export interface Anchor {
  readonly line: number;
  /** The exact text of the line when it was anchored. */
  readonly text: string;
}

/** Where an exchange is: its `💬:` line and, once it has one, its `🤖:` line. Either of them is enough to find it. */
export interface ExchangeAnchor extends Anchor {
  readonly answer?: AnchorOrLost;
  /** Its `💬:` line was removed from the text and may come back, by an undo or a put. */
  readonly lost?: boolean;
}

type AnchorOrLost = Anchor & { readonly lost?: boolean };

/** A call that a key, a verified memory or a rule allowed in this session. */
export interface TrackedCall extends Anchor {
  /**
   * `approved`: may start. `running`: started, no result yet. `reopened`: it was approved, but its effect changed
   * before it ran; it waits for a key again.
   */
  readonly state: "approved" | "running" | "reopened";
  /** The approved tool, by `toolIdentity`: another tool of the same name is not what was on screen. */
  readonly tool: string;
  /** The hash of the plan that was approved; empty: there was none. */
  readonly effect: string;
  /** It changes something that is planned, so nothing else runs at the same time. */
  readonly isAlone: boolean;
  /** Number of the run, set once it started; see run-tools.ts. */
  readonly run?: number;
}

/** The running turn, and the requests and calls it has made so far. */
export interface RunningTurn {
  readonly exchange: ExchangeAnchor;
  /** Model requests made so far in this turn. */
  readonly modelCalls: number;
  /** How often each call (name and arguments) was proposed in this turn, by `countingKey`. */
  readonly callCounts: Readonly<Record<string, number>>;
  /**
   * Responses in a row, up to the last one, none of whose calls could run: unknown, unreadable or with invalid
   * arguments.
   */
  readonly invalidAnswers: number;
}

/** All that is known of a chat besides its text. */
export interface Session {
  readonly calls: readonly TrackedCall[];
  readonly turn: RunningTurn | null;
  /** Texts of lines that were approved here and lost the approval before they started: their calls did not run. */
  readonly unstarted: readonly string[];
  /** Those of them whose decision was never in the file: nothing else can have run their calls either. */
  readonly unsaved: readonly string[];
  /** The exchange this session responded to last: its calls may be decided even if it is not the last one. */
  readonly respondedTo: ExchangeAnchor | null;
}

/** The session of a chat that was just opened: nothing was approved here, and nothing runs. */
export const emptySession: Session = {
  calls: [],
  unstarted: [],
  unsaved: [],
  turn: null,
  respondedTo: null,
};

function moveAnchor<T extends Anchor>(anchor: T, splice: Splice): T | null {
  if (anchor.line < splice.start) return anchor;
  if (anchor.line >= splice.end) {
    const shift = splice.lines.length - (splice.end - splice.start);
    return shift === 0 ? anchor : { ...anchor, line: anchor.line + shift };
  }
  // The line itself was replaced. Editors often replace a whole region to change a few lines of it (`:s`), so the same
  // text in the new region is the same line, but only when there is no doubt which one it is.
  if (sameLine(anchor, splice) === anchor.text) return anchor;
  const first = splice.lines.indexOf(anchor.text);
  if (first < 0 || splice.lines.indexOf(anchor.text, first + 1) >= 0) return null;
  return { ...anchor, line: splice.start + first };
}

/** The replacement of the line, if the splice has as many new lines as old ones. */
function sameLine({ line }: Anchor, { start, end, lines }: Splice): string | undefined {
  return lines.length === end - start ? lines[line - start] : undefined;
}

/**
 * Moves the anchor of an exchange's first line or of its answer's. That line is a position, not something that was
 * approved: the user may go on typing in it while the answer streams. So the anchor follows it through every change: a
 * line broken in two, a paste, a reformatted paragraph, and, with its text kept, out of the text and back into it. The
 * new position is never above line `from`.
 */
function moveLine(
  anchor: AnchorOrLost,
  splice: Splice,
  marker: "question" | "answer",
  from = 0,
): AnchorOrLost {
  if (anchor.lost === true) return findLost(anchor, splice);
  const moved = moveAnchor(anchor, splice);
  if (moved !== null) return moved;
  const { start, lines } = splice;
  const here = sameLine(anchor, splice);
  if (here !== undefined && markerAt(here)?.name === marker) {
    return { line: anchor.line, text: here };
  }
  const skipped = Math.max(0, from - start);
  const found = likestLine(anchor.text, lines.slice(skipped), marker);
  if (found !== null) {
    return { line: start + skipped + found, text: lines[skipped + found] ?? "" };
  }
  // It may lose its marker for a moment, as when the whole line is retyped.
  if (here !== undefined) return { line: anchor.line, text: here };
  return { line: start, text: anchor.text, lost: true };
}

function findLost(anchor: AnchorOrLost, splice: Splice): AnchorOrLost {
  const found = splice.lines.indexOf(anchor.text);
  if (found >= 0) return { line: splice.start + found, text: anchor.text };
  if (anchor.line < splice.start) return anchor;
  if (anchor.line < splice.end) return { ...anchor, line: splice.start };
  return { ...anchor, line: anchor.line + splice.lines.length - (splice.end - splice.start) };
}

/** Of the lines with this marker, the one with the longest common beginning with the text; null when no line has it. */
function likestLine(
  text: string,
  lines: readonly string[],
  marker: "question" | "answer",
): number | null {
  let best: number | null = null;
  let longest = -1;
  for (const [index, line] of lines.entries()) {
    if (markerAt(line)?.name !== marker) continue;
    const same = commonLength(line, text);
    if (same <= longest) continue;
    best = index;
    longest = same;
  }
  return best;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function moveExchange(anchor: ExchangeAnchor, splice: Splice): ExchangeAnchor {
  const question = moveLine(anchor, splice, "question");
  return anchor.answer === undefined
    ? question
    : { ...question, answer: moveLine(anchor.answer, splice, "answer", question.line) };
}

/** The session without these calls. Those that were approved and never started are known not to have run. */
export function unapproved(session: Session, lost: readonly TrackedCall[]): Session {
  if (lost.length === 0) return session;
  const texts = lost.filter(({ state }) => state === "approved").map(({ text }) => text);
  return {
    ...session,
    calls: session.calls.filter((call) => !lost.includes(call)),
    unstarted: [...new Set([...session.unstarted, ...texts])],
  };
}

/** The session after the decisions just written at these lines could not be saved to the file. */
export function withUnsaved(session: Session, written: readonly Anchor[]): Session {
  const texts = written.map(({ text }) => text);
  return { ...session, unsaved: [...new Set([...session.unsaved, ...texts])] };
}

/** Whether all that this session knows of lines with this text, wherever they are, is that they never started. */
export function isUnstarted(text: string, { calls, unstarted }: Session): boolean {
  const states = calls.filter((call) => call.text === text).map(({ state }) => state);
  if (states.includes("running")) return false;
  return states.includes("approved") || unstarted.includes(text);
}

/** The session after lines of the text were replaced. It drops calls whose line is gone. */
export function moveSession(session: Session, splice: Splice): Session {
  const moved = session.calls.map((call) => ({ call, now: moveAnchor(call, splice) }));
  const lost = moved.filter(({ now }) => now === null).map(({ call }) => call);
  return {
    ...unapproved(session, lost),
    calls: moved.flatMap(({ now }) => now ?? []),
    turn: session.turn && {
      ...session.turn,
      exchange: moveExchange(session.turn.exchange, splice),
    },
    respondedTo: session.respondedTo && moveExchange(session.respondedTo, splice),
  };
}

/** The exchange that the anchor points to; null when both its question and its answer were removed from the text. */
export function anchoredExchange(
  transcript: Transcript,
  anchor: ExchangeAnchor | undefined,
): Exchange | null {
  if (anchor === undefined) return null;
  const { answer } = anchor;
  // A turn belongs to the place of its answer, even when its question is moved away for a moment.
  const answered =
    answer === undefined || answer.lost === true
      ? undefined
      : transcript.exchanges.findLast(
          ({ answer: block }) =>
            block !== null && block.range.start <= answer.line && answer.line < block.range.end,
        );
  if (answered !== undefined) return answered;
  if (anchor.lost === true) return null;
  return transcript.exchanges.findLast((exchange) => exchange.range.start === anchor.line) ?? null;
}

export function anchorOf(transcript: Transcript, exchange: Exchange): ExchangeAnchor {
  const at = (line: number) => ({ line, text: transcript.lines[line] ?? "" });
  const question = at(exchange.range.start);
  return exchange.answer === null
    ? question
    : { ...question, answer: at(exchange.answer.range.start) };
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

/** What this session knows of the call at exactly this line with exactly this text. */
export function trackedAt(
  session: Session,
  { line, lineText }: CallBlock,
): TrackedCall | undefined {
  const here = session.calls.filter((call) => call.line === line && call.text === lineText);
  // Two entries can end on one line when an edit merges copies of it. The state that starts the fewest runs wins.
  const states = ["running", "approved", "reopened"] as const;
  return states.flatMap((state) => here.find((call) => call.state === state) ?? [])[0];
}

/** The call without a result whose line is, character for character, where the session knows it. */
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
