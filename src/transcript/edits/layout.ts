/** Positions in an answer, for the edits that write there. Lines are those of the file, CR included. */

import { parseComment, renderStepLine, renderUnfinished } from "../comments.ts";
import {
  type AnswerLine,
  escapeLine,
  markerAt,
  markerText,
  readAnswerLine,
  renderAnswerLine,
} from "../markers.ts";
import type { CallBlock, Edit, Exchange, Step, StepRecord, Transcript } from "../transcript.ts";

export const questionLine = `${markerText.question} `;

/** Where a streaming answer grows; its lines are those after the edits. */
export interface Tip {
  readonly line: number;
  readonly answerLine: number;
}

/** The edits that open a place for a streaming answer, and the position of that place after them. */
export interface OpenedTip {
  readonly edits: readonly Edit[];
  readonly tip: Tip;
}

export function isBlankAt(lines: readonly string[], line: number): boolean {
  return /^[ \t]*\r?$/.test(lines[line] ?? "");
}

/** A blank line, unless the line above `line` is blank or does not exist. */
export function gapAbove(lines: readonly string[], line: number): string[] {
  return line === 0 || isBlankAt(lines, line - 1) ? [] : [""];
}

/** A blank line, unless `line` is blank or does not exist. */
export function gapBelow(lines: readonly string[], line: number): string[] {
  return line >= lines.length || isBlankAt(lines, line) ? [] : [""];
}

/** `line`, moved up over blank lines, but not above `top`. */
export function skipBlanksUp(lines: readonly string[], line: number, top: number): number {
  let at = line;
  while (at > top && isBlankAt(lines, at - 1)) at -= 1;
  return at;
}

export function isBlankBetween(lines: readonly string[], start: number, end: number): boolean {
  return skipBlanksUp(lines, end, start) === start;
}

/** The `🤖:` line with which the step begins, or null. Includes a second such line in an answer. */
export function ownAnswerLine({ lines }: Transcript, step: Step): AnswerLine | null {
  const line = (lines[step.range.start] ?? "").replace(/^\uFEFF|\r$/g, "");
  return markerAt(line)?.name === "answer" ? readAnswerLine(line) : null;
}

/** Inserts a step line above the step; text after the `🤖:` marker moves below it, or it would stay outside. */
export function insertStepLine(transcript: Transcript, step: Step, stepLine: string): Edit {
  const { start } = step.range;
  const own = ownAnswerLine(transcript, step);
  if (own === null) return { start, end: start, lines: [stepLine] };
  const moved = [renderAnswerLine(own.label), "", stepLine, escapeLine(own.text)];
  return { start, end: start + 1, lines: moved };
}

/** The JSON of the step line of `step`, including unknown keys; empty when there is no step line. */
export function stepJson(
  transcript: Transcript,
  step: Step | undefined,
): Readonly<Record<string, unknown>> {
  if (step === undefined || step.stepLine === null) return {};
  const comment = parseComment(transcript.lines[step.stepLine] ?? "");
  return comment?.kind === "step" ? comment.json : {};
}

/** Whether a result is in a fence that nothing closes, so that any text below would be part of it. */
function hasOpenBody({ problems }: Transcript, calls: readonly CallBlock[]): boolean {
  const open = problems.filter(({ code }) => code === "unclosed-fence");
  return calls.some(({ result }) => {
    if (result === null) return false;
    const { start, end } = result.range;
    return open.some(({ line }) => line > start && line < end);
  });
}

/** Whether text below the step reads as the next step: its batch is complete, and its last body closed. */
function endsByItself(
  transcript: Transcript,
  { calls }: Step,
  settled: readonly CallBlock[],
): boolean {
  const isComplete = calls.every(
    (call) => call.result !== null || call.source === "legacy" || settled.includes(call),
  );
  return calls.length > 0 && isComplete && !hasOpenBody(transcript, calls);
}

/** The position of a new step in its answer. */
export interface NewStepPlace {
  /** The steps above it. */
  readonly before: readonly Step[];
  /** The step that it replaces. */
  readonly old?: Step;
  /** Calls above it whose results are written in the same edit. */
  readonly settled?: readonly CallBlock[];
}

/** The step line that a new step begins with, or null when it needs none (format, section 6). */
export function openingStepLine(
  transcript: Transcript,
  exchange: Exchange,
  { before, old, settled = [] }: NewStepPlace,
  record: StepRecord | null,
): string | null {
  const unknown = stepJson(transcript, old);
  if (record !== null) return renderStepLine(record, unknown);
  if (old !== undefined && old.stepLine !== null) {
    const { state, tail, paused, ...kept } = old.record;
    return renderStepLine(kept, unknown);
  }
  const above = before.at(-1);
  const needed =
    before.some((step) => step.stepLine !== null) ||
    exchange.question.references.length > 0 ||
    (above !== undefined && !endsByItself(transcript, above, settled));
  return needed ? renderStepLine({}) : null;
}

/** Replaces lines `start` to `end` by `head`, an empty tip and the open mark. */
export function openTip(
  lines: readonly string[],
  range: { readonly start: number; readonly end: number },
  head: readonly string[],
  answerLineAfter: number,
): OpenedTip {
  const body = [...head, "", renderUnfinished("open"), ...gapBelow(lines, range.end)];
  return {
    edits: [{ ...range, lines: body }],
    tip: { line: range.start + head.length, answerLine: answerLineAfter },
  };
}

/**
 * Writes the next `💬: ` at the end of an exchange: above text of the user that is in no step, but not above line
 * `from`.
 */
export function questionEdit(
  transcript: Transcript,
  exchange: Exchange,
  from = exchange.range.start + 1,
): Edit {
  const { lines } = transcript;
  const aside = exchange.answer?.aside ?? null;
  if (aside !== null) {
    const start = Math.max(from, aside.start);
    return { start, end: start, lines: [...gapAbove(lines, start), questionLine] };
  }
  const { end } = exchange.range;
  const start = skipBlanksUp(lines, end, from);
  const gap = start > 0 ? [""] : [];
  return { start, end, lines: [...gap, questionLine, ...gapBelow(lines, end)] };
}

/** An edit of lines that carry more than their text. */
type EditOf<Line> = Omit<Edit, "lines"> & { readonly lines: readonly Line[] };

/**
 * Returns the lines after all edits, which were computed against `lines`. Throws a RangeError, and changes nothing,
 * when the edits are not in order, overlap, or are outside the text.
 */
export function applyEdits<Line = string>(
  lines: readonly Line[],
  edits: readonly EditOf<Line>[],
): Line[] {
  const result: Line[] = [];
  let done = 0;
  for (const { start, end, lines: replacement } of edits) {
    if (!(start >= done && end >= start && end <= lines.length)) {
      throw new RangeError(
        `The edit of lines ${start} to ${end} is out of order, overlaps another one, or lies outside of ${lines.length} lines; nothing was changed.`,
      );
    }
    for (const line of lines.slice(done, start)) result.push(line);
    for (const line of replacement) result.push(line);
    done = end;
  }
  for (const line of lines.slice(done)) result.push(line);
  return result;
}
