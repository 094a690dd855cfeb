/**
 * Edits that open, replace and stop the steps of an answer, as data against the lines of a parsed
 * transcript (format, section 6). Nothing here writes what is foreign except through the escape.
 */

import { renderUnfinished } from "../comments.ts";
import { markerAt, renderAnswerLine } from "../markers.ts";
import type {
  Answer,
  Edit,
  Exchange,
  Step,
  StepRecord,
  Transcript,
  UnfinishedReason,
} from "../transcript.ts";
import {
  gapAbove,
  isBlankBetween,
  type OpenedTip,
  openingStepLine,
  openTip,
  ownAnswerLine,
  questionEdit,
  skipBlanksUp,
} from "./layout.ts";

/** What is written with the `🤖:` line of an answer. */
export interface NewAnswer {
  /** For people; null writes none. */
  readonly label: string | null;
  /** What the step line says from the start, or null when the step needs no line for it. */
  readonly record: StepRecord | null;
}

/** What is written above a step. */
export interface NewStep {
  /** As in `NewAnswer`. */
  readonly record: StepRecord | null;
}

function optional(line: string | null): string[] {
  return line === null ? [] : [line];
}

function answerOf(exchange: Exchange, wanted: string): Answer {
  if (exchange.answer !== null) return exchange.answer;
  throw new RangeError(`Exchange ${exchange.index + 1} has no answer ${wanted}.`);
}

/** First line below everything that belongs to a step or a mark. */
function contentEnd(answer: Answer): number {
  return answer.unfinished === null ? answer.tip : answer.unfinished.line + 1;
}

/** Writes the `🤖:` line and the tip over lines `start` to `end`. */
function writeAnswer(
  transcript: Transcript,
  exchange: Exchange,
  range: { readonly start: number; readonly end: number },
  { label, record }: NewAnswer,
): OpenedTip {
  const gap = gapAbove(transcript.lines, range.start);
  const step = openingStepLine(transcript, exchange, { before: [] }, record);
  const head = [...gap, renderAnswerLine(label), "", ...optional(step)];
  return openTip(transcript.lines, range, head, range.start + gap.length);
}

/**
 * Opens the answer of a question that has none, or whose answer block has nothing in it. Throws a
 * RangeError when there is an answer: that one is for `replaceAnswer`.
 */
export function beginAnswer(
  transcript: Transcript,
  exchange: Exchange,
  opening: NewAnswer,
): OpenedTip {
  const { answer, question } = exchange;
  if (answer !== null) {
    if (answer.steps.every((step) => step.blocks.length === 0)) {
      return replaceAnswer(transcript, exchange, opening);
    }
    throw new RangeError(`Exchange ${exchange.index + 1} is answered; nothing was changed.`);
  }
  const { start, end } = question.range;
  const below = skipBlanksUp(transcript.lines, end, start + 1);
  return writeAnswer(transcript, exchange, { start: below, end }, opening);
}

/**
 * Puts a new open answer in the place of the whole old one. What is in no step stays below it: text of
 * the person, private lines. Where there is no answer it is `beginAnswer`.
 */
export function replaceAnswer(
  transcript: Transcript,
  exchange: Exchange,
  opening: NewAnswer,
): OpenedTip {
  const { answer } = exchange;
  if (answer === null) return beginAnswer(transcript, exchange, opening);
  const range = { start: answer.range.start, end: contentEnd(answer) };
  return writeAnswer(transcript, exchange, range, opening);
}

/**
 * Opens the next step directly below the last result, above text of the person. Throws a RangeError when there is no
 * answer.
 */
export function beginContinuation(
  transcript: Transcript,
  exchange: Exchange,
  { record }: NewStep,
): OpenedTip {
  const answer = answerOf(exchange, "to continue");
  if (answer.unfinished !== null) return restartStep(transcript, exchange, { record });
  const step = openingStepLine(transcript, exchange, { before: answer.steps }, record);
  const at = answer.tip;
  const head = [...gapAbove(transcript.lines, at), ...optional(step)];
  return openTip(transcript.lines, { start: at, end: at }, head, answer.range.start);
}

/** Replaces one step, from its first line to `end`, by an open one without text. */
function reopen(
  transcript: Transcript,
  exchange: Exchange,
  answer: Answer,
  place: { readonly step: Step; readonly end: number },
  record: StepRecord | null,
): OpenedTip {
  const { lines } = transcript;
  const { step, end } = place;
  const before = answer.steps.slice(0, answer.steps.indexOf(step));
  const stepLine = openingStepLine(transcript, exchange, { before, old: step }, record);
  const own = ownAnswerLine(transcript, step);
  if (own !== null) {
    const head = [renderAnswerLine(own.label), "", ...optional(stepLine)];
    return openTip(lines, { start: step.range.start, end }, head, answer.range.start);
  }
  const top = before.at(-1)?.range.end ?? answer.range.start + 1;
  const start = skipBlanksUp(lines, step.range.start, top);
  const head = [...gapAbove(lines, start), ...optional(stepLine)];
  return openTip(lines, { start, end }, head, answer.range.start);
}

/**
 * Asks for the unfinished step again: its content gives way to an empty tip, its mark becomes `open`. Throws a
 * RangeError when no step is unfinished.
 */
export function restartStep(
  transcript: Transcript,
  exchange: Exchange,
  { record }: NewStep,
): OpenedTip {
  const answer = answerOf(exchange, "to ask for again");
  const step = answer.steps.at(-1);
  if (answer.unfinished === null || step === undefined) {
    throw new RangeError(`The answer of exchange ${exchange.index + 1} is not unfinished.`);
  }
  return reopen(transcript, exchange, answer, { step, end: answer.unfinished.line + 1 }, record);
}

/** Whether the step that a request was made for can still be opened in the text as it is now. */
export function isOpenable(
  { answer }: Exchange,
  mode: "begin" | "continue" | "restart" | "replace" | "retry-last",
): boolean {
  switch (mode) {
    case "begin":
      return answer === null || answer.steps.every((step) => step.blocks.length === 0);
    case "continue":
      return answer !== null && (answer.unfinished === null || answer.steps.length > 0);
    case "restart":
      return answer !== null && answer.unfinished !== null && answer.steps.length > 0;
    case "retry-last":
      return answer !== null;
    case "replace":
      return true;
  }
}

/** The last, empty `💬:` below the exchange, when there is nothing else in it. */
function emptyQuestionBelow(transcript: Transcript, exchange: Exchange): Exchange | null {
  const next = transcript.exchanges[exchange.index + 1];
  if (next === undefined || next.answer !== null) return null;
  if (next.index !== transcript.exchanges.length - 1) return null;
  const { start, end } = next.range;
  const first = transcript.lines[start] ?? "";
  const isEmpty = first.slice(markerAt(first)?.text.length ?? 0).trim() === "";
  return isEmpty && isBlankBetween(transcript.lines, start + 1, end) ? next : null;
}

/**
 * Asks for the last step of an answer again, finished or waiting: its text, calls and results give way to
 * an open tip. An empty `💬:` that followed goes too. Throws a RangeError when there is no answer.
 */
export function retryLastStep(
  transcript: Transcript,
  exchange: Exchange,
  { record, label = null }: NewStep & { readonly label?: string | null },
): OpenedTip {
  const answer = answerOf(exchange, "to ask for again");
  const step = answer.steps.at(-1);
  if (step === undefined) return replaceAnswer(transcript, exchange, { label, record });
  const { lines } = transcript;
  const end = contentEnd(answer);
  const empty = emptyQuestionBelow(transcript, exchange);
  if (empty === null) return reopen(transcript, exchange, answer, { step, end }, record);
  if (isBlankBetween(lines, end, empty.range.start)) {
    const place = { step, end: empty.range.end };
    return reopen(transcript, exchange, answer, place, record);
  }
  const opening = reopen(transcript, exchange, answer, { step, end }, record);
  return { ...opening, edits: [...opening.edits, { ...empty.range, lines: [] }] };
}

/** Ends the unfinished step without offering anything: its text stays, its mark says why. No edits when none is. */
export function stopStep(
  transcript: Transcript,
  exchange: Exchange,
  reason: UnfinishedReason,
): Edit[] {
  const { answer } = exchange;
  if (answer === null || answer.unfinished === null) return [];
  const { lines } = transcript;
  const { line } = answer.unfinished;
  const hasText = (answer.steps.at(-1)?.blocks.length ?? 0) > 0;
  const top = skipBlanksUp(lines, line, answer.range.start + 1);
  const start = hasText ? top : Math.min(line, top + 1);
  return [{ start, end: line + 1, lines: [renderUnfinished(reason)] }];
}

/** Writes the next `💬: `, unless one stands below already. */
export function openQuestion(transcript: Transcript, exchange: Exchange): Edit[] {
  if (exchange.index < transcript.exchanges.length - 1) return [];
  return [questionEdit(transcript, exchange)];
}
