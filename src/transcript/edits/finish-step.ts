/** The one edit that ends a step: its calls, the end of its mark, and its step line if it needs one. */
import { renderCallLine } from "../call-line.ts";
import { isBlank } from "../code.ts";
import { renderStepLine } from "../comments.ts";
import type { Decision } from "../decisions.ts";
import { escapeAnswerText } from "../markers.ts";
import { type ResultInput, renderResult } from "../result-block.ts";
import type {
  Answer,
  Edit,
  Exchange,
  Step,
  StepRecord,
  ToolCall,
  Transcript,
} from "../transcript.ts";
import {
  gapAbove,
  gapBelow,
  insertStepLine,
  isBlankAt,
  isBlankBetween,
  questionEdit,
  questionLine,
  skipBlanksUp,
  stepJson,
} from "./layout.ts";

/** A complete response, to be written in place of its unfinished mark. */
export interface FinishedStep {
  /** In the response's order. The texts are already in the file; here they show where the calls belong. */
  readonly parts: readonly StepPart[];
  readonly record: StepRecord;
  /**
   * The model of the step above, as a step line names it; null when there is no such step or its model is not known.
   */
  readonly previousModel: string | null;
  /** Whether to write the next `💬: ` (format, section 6). */
  readonly openQuestion: boolean;
}

/** The step that ends. Its content ends at `textEnd`; the lines that its calls replace end at `end`. */
interface Place {
  readonly transcript: Transcript;
  readonly exchange: Exchange;
  readonly answer: Answer;
  /** Undefined when its mark was deleted and the file contains nothing of it. */
  readonly step: Step | undefined;
  readonly above: Step | undefined;
  readonly textEnd: number;
  readonly end: number;
}

function findPlace(transcript: Transcript, exchange: Exchange): Place {
  const { answer } = exchange;
  if (answer === null) throw new RangeError(`Exchange ${exchange.index + 1} has no answer to end.`);
  const last = answer.steps.at(-1);
  const isOwn = answer.unfinished !== null || last === undefined || last.calls.length === 0;
  const step = isOwn ? last : undefined;
  const above = isOwn ? answer.steps.at(-2) : last;
  const below = above?.range.end ?? answer.range.start + 1;
  const top = step === undefined || step.stepLine === null ? below : step.stepLine + 1;
  const limit = answer.unfinished?.line ?? Math.max(answer.tip, top);
  const textEnd = skipBlanksUp(transcript.lines, limit, top);
  const end = answer.unfinished === null ? limit : answer.unfinished.line + 1;
  return { transcript, exchange, answer, step, above, textEnd, end };
}

function groupCalls({ transcript, answer, step }: Place, parts: readonly StepPart[]): CallGroup[] {
  const groups = placeCalls(transcript, step, parts);
  // Text after the last call would make all text below it the model's, including the user's own.
  return hasTail(groups) && answer.aside !== null ? callsAtEnd(parts) : groups;
}

/** Whether the steps cannot be separated without a step line (format, section 6). */
function needsStepLine(
  { answer, step, above }: Place,
  { record, previousModel, parts }: FinishedStep,
  groups: readonly CallGroup[],
): boolean {
  const calls = groups.flatMap((group) => group.calls);
  const isBare = (step?.blocks.length ?? 0) === 0;
  const touches = above !== undefined && (above.calls.length === 0 || isBare);
  const settled = calls.length > 0 && calls.every((call) => call.result !== null);
  return (
    answer.steps.some((other) => other.stepLine !== null) ||
    record.state !== undefined ||
    record.paused === true ||
    Object.keys(record.files ?? {}).length > 0 ||
    (previousModel !== null && record.model !== undefined && record.model !== previousModel) ||
    (touches && parts.length > 0) ||
    groups.some((group) => group.before !== "end") ||
    // Below a completed batch the user's text would read as the next step.
    (settled && answer.aside !== null)
  );
}

function completedStepLine(
  { transcript, step }: Place,
  { tail, ...given }: StepRecord,
  groups: readonly CallGroup[],
): string {
  const { state, tail: oldTail, paused, ...kept } = step?.record ?? {};
  const record = { ...kept, ...given, ...(hasTail(groups) && { tail: true }) };
  return renderStepLine(record, stepJson(transcript, step));
}

/** Completes the step line, or inserts it above the content of the step; null when neither is possible. */
function stepLineEdit({ transcript, step }: Place, stepLine: string): Edit | null {
  if (step === undefined) return null;
  const own = step.stepLine;
  if (own !== null) return { start: own, end: own + 1, lines: [stepLine] };
  return step.blocks.length === 0 ? null : insertStepLine(transcript, step, stepLine);
}

function callEdits({ transcript }: Place, groups: readonly CallGroup[]): Edit[] {
  return groups.flatMap(({ before, calls }) => {
    if (before === "end") return [];
    const gap = gapAbove(transcript.lines, before);
    return [{ start: before, end: before, lines: [...gap, ...renderCalls(calls), ""] }];
  });
}

/** Text of the user needs a question above it, or it would become the model's. */
function needsQuestion({ transcript, exchange, answer }: Place, finished: FinishedStep): boolean {
  if (finished.parts.some((part) => part.type === "call")) return false;
  if (answer.aside !== null) return true;
  return finished.openQuestion && exchange.index === transcript.exchanges.length - 1;
}

/** Replaces the mark by the next question. */
function questionEdits({ transcript, exchange, textEnd, end }: Place): Edit[] {
  const { lines } = transcript;
  const question = questionEdit(transcript, exchange, end);
  if (!isBlankBetween(lines, end, question.start)) {
    const gap = isBlankAt(lines, textEnd - 1) ? [] : gapBelow(lines, end);
    return [{ start: textEnd, end, lines: gap }, question];
  }
  const below = question.lines.slice(question.lines.indexOf(questionLine));
  const gap = gapAbove(lines, textEnd);
  return [{ start: textEnd, end: question.end, lines: [...gap, ...below] }];
}

/** Replaces the mark by the calls at the end of the step, below its step line if that has no other place. */
function endEdit(place: Place, stepLine: string | null, groups: readonly CallGroup[]): Edit {
  const { lines } = place.transcript;
  const { textEnd, end } = place;
  const calls = groups.flatMap((group) => (group.before === "end" ? group.calls : []));
  const written = [...(stepLine === null ? [] : [stepLine]), ...renderCalls(calls)];
  const isBelowStepLine = place.step?.stepLine === textEnd - 1;
  const gap = isBelowStepLine || written.length === 0 ? [] : gapAbove(lines, textEnd);
  const isTight = written.length > 0 || !isBlankAt(lines, textEnd - 1);
  const below = isTight ? gapBelow(lines, end) : [];
  return { start: textEnd, end, lines: [...gap, ...written, ...below] };
}

/** Removes older marks of the answer, which would count again once the last one is gone. */
function staleMarks({ transcript, exchange }: Place): Edit[] {
  const { start, end } = exchange.range;
  return transcript.problems
    .filter(({ code, line }) => code === "stale-mark" && line >= start && line < end)
    .map(({ line }) => ({ start: line, end: line + 1, lines: [] }));
}

/**
 * Ends a step whose response is complete: removes its mark, writes its calls, and completes its step line, or writes
 * one where the steps could not be separated (format, section 6). Throws a RangeError when the exchange has no answer.
 */
export function finishStep(
  transcript: Transcript,
  exchange: Exchange,
  finished: FinishedStep,
): Edit[] {
  const place = findPlace(transcript, exchange);
  const groups = groupCalls(place, finished.parts);
  const stepLine = needsStepLine(place, finished, groups)
    ? completedStepLine(place, finished.record, groups)
    : null;
  const own = stepLine === null ? null : stepLineEdit(place, stepLine);
  const rest = own === null ? stepLine : null;
  const last = needsQuestion(place, finished)
    ? questionEdits(place)
    : [endEdit(place, rest, groups)];
  const above = [...staleMarks(place), ...(own === null ? [] : [own]), ...callEdits(place, groups)];
  return [...above.sort((a, b) => a.start - b.start), ...last];
}

export interface CallPart {
  readonly type: "call";
  readonly call: ToolCall;
  readonly decision: Decision | null;
  readonly notes: readonly string[];
  /** For a call that is not put to the user; null when it waits. */
  readonly result: ResultInput | null;
}

/** A text or a call of a model's response. */
export type StepPart = { readonly type: "text"; readonly text: string } | CallPart;

/** Calls that are inserted above line `before` of the file, or at the end of the step. */
export interface CallGroup {
  readonly before: number | "end";
  readonly calls: readonly CallPart[];
}

interface TextLine {
  readonly line: number;
  readonly text: string;
}

/** The lines of the step's text that are not blank, with their positions in the file. */
function textLines({ lines }: Transcript, step: Step | undefined): TextLine[] {
  return (step?.blocks ?? []).flatMap((block) => {
    if (block.kind !== "text") return [];
    const { start, end } = block.range;
    return lines.slice(start, end).flatMap((text, index) => {
      const line = start + index;
      return isBlankAt(lines, line) ? [] : [{ line, text: text.replace(/\r$/, "") }];
    });
  });
}

/** Places all calls below all text. */
function callsAtEnd(parts: readonly StepPart[]): CallGroup[] {
  const calls = parts.filter((part) => part.type === "call");
  return calls.length === 0 ? [] : [{ before: "end", calls }];
}

/**
 * Places each call of the response above the text that followed it, as long as the text in the file is still that of
 * the response; else all calls at the end.
 */
function placeCalls(
  transcript: Transcript,
  step: Step | undefined,
  parts: readonly StepPart[],
): CallGroup[] {
  const written = textLines(transcript, step);
  const groups: CallGroup[] = [];
  let waiting: CallPart[] = [];
  let next = 0;
  for (const part of parts) {
    if (part.type === "call") {
      waiting.push(part);
      continue;
    }
    const lines = escapeAnswerText(part.text).filter((line) => !isBlank(line));
    if (lines.some((line, index) => written[next + index]?.text !== line)) return callsAtEnd(parts);
    const first = written[next];
    if (waiting.length > 0 && lines.length > 0 && first !== undefined) {
      groups.push({ before: first.line, calls: waiting });
      waiting = [];
    }
    next += lines.length;
  }
  if (next !== written.length) return callsAtEnd(parts);
  return waiting.length === 0 ? groups : [...groups, { before: "end", calls: waiting }];
}

/** Whether the response continues with text after its last call. */
function hasTail(groups: readonly CallGroup[]): boolean {
  const last = groups.at(-1);
  return last !== undefined && last.before !== "end";
}

/** Calls in the layout of section 12 of the format: waiting ones line by line, a result between blank lines. */
function renderCalls(calls: readonly CallPart[]): string[] {
  return calls.flatMap(({ call, decision, notes, result }, index) => {
    const line = renderCallLine(call, decision, notes);
    if (result === null) return [line];
    const isLast = index === calls.length - 1;
    return [line, "", ...renderResult(result), ...(isLast ? [] : [""])];
  });
}
