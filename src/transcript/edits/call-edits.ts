/** Edits that record decisions and results in an answer (format, sections 4, 5 and 8). */

import { markCallLine } from "../call-line.ts";
import { renderStepLine } from "../comments.ts";
import { type Decision, type DecliningKey, isYes } from "../decisions.ts";
import { type ResultInput, renderResult } from "../result-block.ts";
import type { CallBlock, Edit, Exchange, Step, StepRecord, Transcript } from "../transcript.ts";
import {
  gapAbove,
  gapBelow,
  insertStepLine,
  isBlankBetween,
  type OpenedTip,
  openingStepLine,
  openTip,
  type Tip,
} from "./layout.ts";

function byStart(a: Edit, b: Edit): number {
  return a.start - b.start || a.end - b.end;
}

/** Whether a decision or a result can still be written for the call. */
function isUnsettled(call: CallBlock): boolean {
  return call.result === null && call.source === "parley";
}

/** Records a decision on each call line. Broken calls, and calls with a result, are left unchanged. */
export function decideCalls(
  transcript: Transcript,
  calls: readonly CallBlock[],
  decision: Decision,
): Edit[] {
  return markCalls(transcript, calls, decision);
}

/** Removes the decisions of these calls, so that they are open as when they were proposed. */
export function reopenCalls(transcript: Transcript, calls: readonly CallBlock[]): Edit[] {
  return markCalls(
    transcript,
    calls.filter((call) => call.decision !== null),
    null,
  );
}

function markCalls(
  { lines }: Transcript,
  calls: readonly CallBlock[],
  decision: Decision | null,
): Edit[] {
  return calls
    .filter((call) => isUnsettled(call) && call.broken === null)
    .map(({ line }) => ({
      start: line,
      end: line + 1,
      lines: [markCallLine(lines[line] ?? "", decision)],
    }))
    .sort(byStart);
}

/** A result with the blank lines of section 12 around it, to be inserted below line `at - 1`. */
function spaced(lines: readonly string[], at: number, result: ResultInput): string[] {
  return ["", ...renderResult(result), ...gapBelow(lines, at)];
}

/** The result of a call that the user declined. */
export const declinedText = "declined by the user";
/** The result of a call that was allowed, and whose end is not known. */
export const interruptedText = "interrupted: it is not known whether this ran";

function isInterrupted({ decision }: CallBlock): boolean {
  return decision !== null && isYes(decision);
}

/** The text with the user's reason, if there is one. */
export function withReason(text: string, reason: string | null): string {
  const because = reason?.trim() ?? "";
  return because === "" ? text : `${text}: ${because}`;
}

function declinedResult(block: CallBlock, reason: string | null): ResultInput {
  const text = isInterrupted(block) ? `${interruptedText}; it is not run again` : declinedText;
  return {
    name: block.call?.name ?? "",
    callId: block.call?.id ?? "",
    status: isInterrupted(block) ? "cancelled" : "declined",
    attachments: [],
    fullText: null,
    text: withReason(text, reason),
  };
}

function declineCall(
  { lines }: Transcript,
  block: CallBlock,
  decision: DecliningKey,
  reason: string | null,
): Edit {
  const { line } = block;
  const text = lines[line] ?? "";
  if (block.broken !== null) return { start: line, end: line + 1, lines: [`\\${text}`] };
  const result = spaced(lines, line + 1, declinedResult(block, reason));
  return { start: line, end: line + 1, lines: [markCallLine(text, decision), ...result] };
}

function findStep(
  { exchanges }: Transcript,
  block: CallBlock,
): { readonly exchange: Exchange; readonly step: Step } | null {
  const exchange = exchanges.find(
    ({ range }) => block.line >= range.start && block.line < range.end,
  );
  const step = exchange?.answer?.steps.find(({ calls }) =>
    calls.some(({ line }) => line === block.line),
  );
  return exchange === undefined || step === undefined ? null : { exchange, step };
}

/** Whether there is anything but blank lines between calls of the step and their results. */
function hasTextBetween({ lines }: Transcript, { calls }: Step): boolean {
  let end = calls[0]?.end ?? 0;
  return calls.some((call) => {
    const between = call.line > end && !isBlankBetween(lines, end, call.line);
    end = Math.max(end, call.end);
    return between;
  });
}

/**
 * The step line that keeps a step together once its calls get results: without one, text of the user below or between
 * them, or a broken call that became text, would begin the next step (format, section 6).
 */
function guardStep(
  transcript: Transcript,
  { answer }: Exchange,
  step: Step,
  settled: readonly CallBlock[],
  goesOn: boolean,
): Edit[] {
  if (answer === null || step.stepLine !== null || step !== answer.steps.at(-1)) return [];
  if (settled.length === 0) return [];
  const lines = settled.map(({ line }) => line);
  const isComplete = step.calls.every((call) => !isUnsettled(call) || lines.includes(call.line));
  const becomesText = settled.some((call) => call.broken !== null) && step.calls.length > 1;
  // A mark that follows in the same edit already keeps the text below separate.
  const isAside = isComplete && !goesOn && answer.aside !== null;
  if (!isAside && !becomesText && !hasTextBetween(transcript, step)) return [];
  return [insertStepLine(transcript, step, renderStepLine({}))];
}

/**
 * Declines calls: the mark and the result of each are in the same edit. A call that was approved becomes `(cancelled)`,
 * since it may have run; a broken call becomes text (format, sections 4 and 8). `reason` is one line of the user's.
 */
export function declineCalls(
  transcript: Transcript,
  calls: readonly CallBlock[],
  decision: DecliningKey,
  reason: string | null,
): Edit[] {
  const declined = calls.filter(isUnsettled);
  const edits = declined.map((call) => declineCall(transcript, call, decision, reason));
  const first = declined[0];
  const place = first === undefined ? null : findStep(transcript, first);
  const guard =
    place === null ? [] : guardStep(transcript, place.exchange, place.step, declined, false);
  return [...guard, ...edits].sort(byStart);
}

/** A call of the transcript, and the result to write under it. */
export interface CallResult {
  readonly call: CallBlock;
  readonly result: ResultInput;
}

/** The edits that write the open mark of the next step at the tip, below what `above` writes there. */
function openNextStep(
  transcript: Transcript,
  exchange: Exchange,
  above: readonly Edit[],
  settled: readonly CallBlock[],
  record: StepRecord | null,
): OpenedTip {
  const { lines } = transcript;
  const answer = exchange.answer;
  if (answer === null) throw new RangeError("A result has no answer to stand in.");
  const at = answer.tip;
  const result = above.find((edit) => edit.start === at);
  const step = openingStepLine(transcript, exchange, { before: answer.steps, settled }, record);
  const gapLength = gapBelow(lines, at).length;
  const written = result?.lines.slice(0, result.lines.length - gapLength) ?? [];
  const gap = result === undefined ? gapAbove(lines, at) : [""];
  const head = [...written, ...gap, ...(step === null ? [] : [step])];
  const opening = openTip(lines, { start: at, end: at }, head, answer.range.start);
  const others = above.filter((edit) => edit !== result);
  const shift = others
    .filter((edit) => edit.start < at)
    .reduce((sum, edit) => sum + edit.lines.length - (edit.end - edit.start), 0);
  return {
    edits: [...others, ...opening.edits].sort(byStart),
    tip: { line: opening.tip.line + shift, answerLine: opening.tip.answerLine },
  };
}

/**
 * Writes each result right under its call. With `continuation`, the same edits write the open mark of the next step, so
 * that a reader always sees why the answer has not ended. A call that has a result keeps it.
 */
export function writeResults(
  transcript: Transcript,
  exchange: Exchange,
  results: readonly CallResult[],
  continuation: { readonly record: StepRecord | null } | null,
): { readonly edits: readonly Edit[]; readonly tip: Tip | null } {
  const written = results.filter(({ call }) => isUnsettled(call));
  const edits = written.map(({ call: { line }, result }): Edit => {
    const at = line + 1;
    return { start: at, end: at, lines: spaced(transcript.lines, at, result) };
  });
  const last = exchange.answer?.steps.at(-1);
  const calls = written.map(({ call }) => call);
  const guard =
    last === undefined ? [] : guardStep(transcript, exchange, last, calls, continuation !== null);
  const all = [...guard, ...edits].sort(byStart);
  if (continuation === null) return { edits: all, tip: null };
  const record = continuation.record ?? (guard.length > 0 ? {} : null);
  return openNextStep(transcript, exchange, all, calls, record);
}
