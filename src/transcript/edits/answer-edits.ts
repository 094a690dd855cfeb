/**
 * Edits that open, replace and stop the steps of an answer, as data against the lines of a parsed transcript (format,
 * section 6). Foreign text is written through the escape only.
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

/** What is written when an answer is opened, with its `🤖:` line. */
export interface NewAnswer {
  /** For readers; null writes none. */
  readonly label: string | null;
  /** The initial content of the step line, or null when the step needs no line for it. */
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
 * Opens the answer of a question that has none, or whose answer block is empty. Throws a RangeError when there is an
 * answer: use `replaceAnswer` for that.
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
 * Replaces the whole old answer by a new open one. What is in no step stays below it: the user's text, private lines.
 * Does the same as `beginAnswer` where there is no answer.
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
 * Opens the next step directly below the last result, above any text of the user. Throws a RangeError when there is no
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

/** Replaces one step, from its first line to `end`, by an open, empty one. */
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
 * Opens the unfinished step again: an empty tip replaces its content, and its mark becomes `open`. Throws a RangeError
 * when no step is unfinished.
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

/** The last, empty `💬:` below the exchange, if it contains nothing else. */
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
 * Opens the last step of an answer again, whether finished or waiting: an open tip replaces its text, calls and
 * results. An empty `💬:` that followed is removed too. Throws a RangeError when there is no answer.
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

/**
 * Ends the unfinished step without putting its calls to the user: its text stays, its mark says why. Returns no edits
 * when no step is unfinished.
 */
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

/** Writes the next `💬: `, unless there is one below already. */
export function openQuestion(transcript: Transcript, exchange: Exchange): Edit[] {
  if (exchange.index < transcript.exchanges.length - 1) return [];
  return [questionEdit(transcript, exchange)];
}
