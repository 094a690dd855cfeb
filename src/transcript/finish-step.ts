import { questionEdit } from "./answer-edits.ts";
import { renderCallLine } from "./call-line.ts";
import { renderStepLine } from "./comments.ts";
import { gapAbove, gapBelow, isBlankAt, skipBlanksUp, stepJson } from "./layout.ts";
import { escapeAnswerText } from "./markers.ts";
import { type ResultInput, renderResult } from "./result-block.ts";
import type {
  Answer,
  Decision,
  Edit,
  Exchange,
  Step,
  StepRecord,
  ToolCall,
  Transcript,
} from "./types.ts";

/** A text or a call of a model's response. */
export type StepPart = { readonly type: "text"; readonly text: string } | CallPart;

export interface CallPart {
  readonly type: "call";
  readonly call: ToolCall;
  readonly decision: Decision | null;
  readonly notes: readonly string[];
  /** For a call that cannot be offered; null when it waits. */
  readonly result: ResultInput | null;
}

export interface FinishedStep {
  /** In the response's order. The texts are in the file already; they say where the calls belong. */
  readonly parts: readonly StepPart[];
  readonly record: StepRecord;
  /** The model of the step above, as a step line names it; null when there is none or it is not known. */
  readonly previousModel: string | null;
  /** Write the next `💬: ` (format, section 6). */
  readonly openQuestion: boolean;
}

/** Calls that go in above line `before` of the file, or at the end of the step. */
interface CallGroup {
  readonly before: number | "end";
  readonly calls: readonly CallPart[];
}

/** The step that ends: its text is on lines `top` to `textEnd`, all it leaves ends at `end`. */
interface Place {
  readonly answer: Answer;
  /** Undefined when its mark was deleted and nothing of it is in the file. */
  readonly step: Step | undefined;
  readonly above: Step | undefined;
  readonly top: number;
  readonly textEnd: number;
  readonly end: number;
}

function findPlace(transcript: Transcript, answer: Answer): Place {
  const { lines } = transcript;
  const last = answer.steps.at(-1);
  const isOwn = answer.unfinished !== null || last === undefined || last.calls.length === 0;
  const step = isOwn ? last : undefined;
  const above = isOwn ? answer.steps.at(-2) : last;
  const below = above?.range.end ?? answer.range.start + 1;
  const top = step === undefined || step.stepLine === null ? below : step.stepLine + 1;
  const limit = answer.unfinished?.line ?? Math.max(answer.tip, top);
  const textEnd = skipBlanksUp(lines, limit, top);
  const end = answer.unfinished === null ? limit : answer.unfinished.line + 1;
  return { answer, step, above, top, textEnd, end };
}

/** The lines of the step's text that are not blank, with their places in the file. */
function textLines(transcript: Transcript, step: Step): { line: number; text: string }[] {
  return step.blocks.flatMap((block) => {
    if (block.kind !== "text") return [];
    const { start, end } = block.range;
    return transcript.lines.slice(start, end).flatMap((text, index) => {
      const line = start + index;
      return isBlankAt(transcript.lines, line) ? [] : [{ line, text: text.replace(/\r$/, "") }];
    });
  });
}

/**
 * Where each call of the response belongs: above the text that followed it, as long as the text in the
 * file is still that of the response, else at the end.
 */
function groupCalls(transcript: Transcript, place: Place, parts: readonly StepPart[]): CallGroup[] {
  const written = place.step === undefined ? [] : textLines(transcript, place.step);
  const groups: CallGroup[] = [];
  let waiting: CallPart[] = [];
  let next = 0;
  for (const part of parts) {
    if (part.type === "call") {
      waiting.push(part);
      continue;
    }
    const lines = escapeAnswerText(part.text).filter((line) => line.trim() !== "");
    const first = written[next];
    if (lines.some((line, index) => written[next + index]?.text !== line)) return atEnd(parts);
    if (waiting.length > 0 && lines.length > 0 && first !== undefined) {
      groups.push({ before: first.line, calls: waiting });
      waiting = [];
    }
    next += lines.length;
  }
  if (next !== written.length) return atEnd(parts);
  if (waiting.length > 0) groups.push({ before: "end", calls: waiting });
  // Text after the last call makes all text below it the model's, the person's own included.
  const hasTail = groups.length > 0 && groups.at(-1)?.before !== "end";
  return hasTail && place.answer.aside !== null ? atEnd(parts) : groups;
}

function atEnd(parts: readonly StepPart[]): CallGroup[] {
  const calls = parts.filter((part) => part.type === "call");
  return calls.length === 0 ? [] : [{ before: "end", calls }];
}

/** Calls as section 12 of the format shows them: waiting ones line by line, a result between blank lines. */
function renderCalls(calls: readonly CallPart[]): string[] {
  return calls.flatMap(({ call, decision, notes, result }, index) => {
    const line = renderCallLine(call, decision, notes);
    if (result === null) return [line];
    const isLast = index === calls.length - 1;
    return [line, "", ...renderResult(result), ...(isLast ? [] : [""])];
  });
}

/** Whether the steps cannot be told apart without a step line (format, section 6). */
function needsStepLine(
  place: Place,
  { record, previousModel, parts }: FinishedStep,
  groups: readonly CallGroup[],
): boolean {
  const { answer, step, above } = place;
  const calls = groups.flatMap((group) => group.calls);
  const isBare = (step?.blocks.length ?? 0) === 0;
  const touches = above !== undefined && (above.calls.length === 0 || isBare);
  const settled = calls.length > 0 && calls.every((call) => call.result !== null);
  return (
    answer.steps.some((other) => other.stepLine !== null) ||
    record.state !== undefined ||
    Object.keys(record.files ?? {}).length > 0 ||
    (previousModel !== null && record.model !== undefined && record.model !== previousModel) ||
    (touches && parts.length > 0) ||
    groups.some((group) => group.before !== "end") ||
    // Below a completed batch the person's text would read as the next step.
    (settled && answer.aside !== null)
  );
}

function completedStepLine(
  transcript: Transcript,
  { step }: Place,
  record: StepRecord,
  groups: readonly CallGroup[],
): string {
  const { tail, ...given } = record;
  const { state, tail: oldTail, ...kept } = step?.record ?? {};
  const last = groups.at(-1);
  const hasTail = last !== undefined && last.before !== "end";
  const complete = { ...kept, ...given, ...(hasTail && { tail: true }) };
  return renderStepLine(complete, stepJson(transcript, step));
}

/** What stands at the end of the step in the place of its mark. */
function endLines(
  transcript: Transcript,
  place: Place,
  stepLine: string | null,
  groups: readonly CallGroup[],
): string[] {
  const { lines } = transcript;
  const calls = groups.flatMap((group) => (group.before === "end" ? group.calls : []));
  const written = [...(stepLine === null ? [] : [stepLine]), ...renderCalls(calls)];
  const isBelowStepLine = place.step?.stepLine === place.textEnd - 1;
  const gap = isBelowStepLine || written.length === 0 ? [] : gapAbove(lines, place.textEnd);
  const isTight = written.length > 0 || !isBlankAt(lines, place.textEnd - 1);
  return [...gap, ...written, ...(isTight ? gapBelow(lines, place.end) : [])];
}

/** Whether a `💬: ` has to follow; text of the person always needs one, or it would become the model's. */
function needsQuestion(
  transcript: Transcript,
  exchange: Exchange,
  { parts, openQuestion }: FinishedStep,
): boolean {
  if (parts.some((part) => part.type === "call")) return false;
  if (exchange.answer?.aside) return true;
  return openQuestion && exchange.index === transcript.exchanges.length - 1;
}

/** The last edit: the mark gives way to the calls, or to the next question. */
function endEdits(
  transcript: Transcript,
  exchange: Exchange,
  place: Place,
  finished: FinishedStep,
  written: readonly string[],
): Edit[] {
  const { textEnd, end } = place;
  const { lines } = transcript;
  if (!needsQuestion(transcript, exchange, finished)) {
    return [{ start: textEnd, end, lines: written }];
  }
  const question = questionEdit(transcript, exchange, end);
  if (skipBlanksUp(lines, question.start, end) !== end) {
    return [{ start: textEnd, end, lines: written }, question];
  }
  const below = written.filter((line) => line !== "");
  const gap = question.lines[0] === "" ? [] : gapAbove(lines, textEnd);
  return [{ start: textEnd, end: question.end, lines: [...below, ...gap, ...question.lines] }];
}

/**
 * Ends a step whose response is complete: its mark goes, its calls are written, its step line is completed
 * or, where the steps could not be told apart, written (format, section 6).
 */
export function finishStep(
  transcript: Transcript,
  exchange: Exchange,
  finished: FinishedStep,
): Edit[] {
  const { answer } = exchange;
  if (answer === null) throw new RangeError(`Exchange ${exchange.index + 1} has no answer to end.`);
  const place = findPlace(transcript, answer);
  const groups = groupCalls(transcript, place, finished.parts);
  const stepLine = needsStepLine(place, finished, groups)
    ? completedStepLine(transcript, place, finished.record, groups)
    : null;
  const edits: Edit[] = [];
  const own = place.step?.stepLine ?? null;
  const first = place.step?.blocks.length ? place.step.range.start : null;
  if (stepLine !== null && own !== null) {
    edits.push({ start: own, end: own + 1, lines: [stepLine] });
  } else if (stepLine !== null && first !== null) {
    const top = Math.max(first, answer.range.start + 1);
    edits.push({ start: top, end: top, lines: [stepLine] });
  }
  for (const { before, calls } of groups) {
    if (before === "end") continue;
    const gap = before === place.top ? [] : gapAbove(transcript.lines, before);
    edits.push({ start: before, end: before, lines: [...gap, ...renderCalls(calls), ""] });
  }
  const isStepLineLeft = stepLine !== null && own === null && first === null;
  const written = endLines(transcript, place, isStepLineLeft ? stepLine : null, groups);
  return [...edits, ...endEdits(transcript, exchange, place, finished, written)];
}
