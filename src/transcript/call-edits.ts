/** Edits that record decisions and results in an answer (format, sections 4, 5 and 8). */
import { markCallLine } from "./call-line.ts";
import { renderStepLine } from "./comments.ts";
import { gapAbove, gapBelow, type Opening, openingStepLine, openTip, type Tip } from "./layout.ts";
import { type ResultInput, renderResult } from "./result-block.ts";
import type { CallBlock, Decision, Edit, Exchange, Step, StepRecord, Transcript } from "./types.ts";

function byStart(a: Edit, b: Edit): number {
  return a.start - b.start || a.end - b.end;
}

/** Calls that a decision or a result can still be written for. */
function isUnsettled(call: CallBlock): boolean {
  return call.result === null && call.source === "parley";
}

/** Records a decision on each call line. Broken calls, and calls with a result, stay as they are. */
export function decideCalls(
  transcript: Transcript,
  calls: readonly CallBlock[],
  decision: Decision,
): Edit[] {
  return calls
    .filter((call) => isUnsettled(call) && call.broken === null)
    .map(({ line }) => {
      const lines = [markCallLine(transcript.lines[line] ?? "", decision)];
      return { start: line, end: line + 1, lines };
    })
    .sort(byStart);
}

/** The blank lines of section 12 around a result that goes in below line `at - 1`. */
function spaced(lines: readonly string[], at: number, result: ResultInput): string[] {
  return ["", ...renderResult(result), ...gapBelow(lines, at)];
}

function isInterrupted({ decision }: CallBlock): boolean {
  return decision !== null && decision !== "yn" && decision !== "yN";
}

function declinedResult(block: CallBlock, reason: string | null): ResultInput {
  const because = reason === null || reason.trim() === "" ? "" : `: ${reason.trim()}`;
  const text = isInterrupted(block)
    ? `interrupted: it is not known whether this ran; it is not run again${because}`
    : `declined by the user${because}`;
  return {
    name: block.call?.name ?? "",
    callId: block.call?.id ?? "",
    status: isInterrupted(block) ? "cancelled" : "declined",
    attachments: [],
    fullText: null,
    text,
  };
}

function declineCall(
  { lines }: Transcript,
  block: CallBlock,
  decision: "yn" | "yN",
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

/**
 * The step line that keeps text in no step out of the answer once the batch is complete: below it, without
 * a step line, such text would read as the next step (format, section 6).
 */
function guardText(exchange: Exchange, step: Step, after: readonly CallBlock[]): Edit[] {
  const answer = exchange.answer;
  if (answer === null || step.stepLine !== null || step !== answer.steps.at(-1)) return [];
  const lines = after.map(({ line }) => line);
  const left = step.calls.filter((call) => call.result === null && !lines.includes(call.line));
  const escaped = after.some((call) => call.broken !== null) && step.calls.length > 1;
  if (!escaped && (left.length > 0 || answer.aside === null)) return [];
  const top = Math.max(step.range.start, answer.range.start + 1);
  return [{ start: top, end: top, lines: [renderStepLine({})] }];
}

/**
 * A no: its mark and its result in the same edit. A call that was a yes is `(cancelled)`, since it may have
 * run; a broken call becomes text (format, sections 4 and 8). `reason` is one line of the person's.
 */
export function declineCalls(
  transcript: Transcript,
  calls: readonly CallBlock[],
  decision: "yn" | "yN",
  reason: string | null,
): Edit[] {
  const declined = calls.filter(isUnsettled);
  const edits = declined.map((call) => declineCall(transcript, call, decision, reason));
  const first = declined[0];
  const place = first === undefined ? null : findStep(transcript, first);
  const guard = place === null ? [] : guardText(place.exchange, place.step, declined);
  return [...guard, ...edits].sort(byStart);
}

export interface CallResult {
  readonly call: CallBlock;
  readonly result: ResultInput;
}

/** The edits that write the open mark of the next step at the tip, below what `above` writes there. */
function openNextStep(
  transcript: Transcript,
  exchange: Exchange,
  above: Edit[],
  record: StepRecord | null,
): Opening {
  const { lines } = transcript;
  const answer = exchange.answer;
  if (answer === null) throw new RangeError("A result has no answer to stand in.");
  const at = answer.tip;
  const result = above.find((edit) => edit.start === at);
  const step = openingStepLine(transcript, exchange, answer.steps, undefined, record);
  const written =
    result === undefined ? [] : result.lines.slice(0, -gapBelow(lines, at).length || undefined);
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
 * Writes each result right under its call. With `continuation`, the open mark of the next step is in the
 * same edits, so that a reader always sees why the answer is not over. A call that has a result keeps it.
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
  if (continuation !== null) {
    return openNextStep(transcript, exchange, edits.sort(byStart), continuation.record);
  }
  const last = exchange.answer?.steps.at(-1);
  const calls = written.map(({ call }) => call);
  const guard = last === undefined ? [] : guardText(exchange, last, calls);
  return { edits: [...guard, ...edits].sort(byStart), tip: null };
}
