/** Where things stand in an answer, for the edits that write there. Lines are those of the file, CR included. */
import { parseComment, renderStepLine, renderUnfinished } from "./comments.ts";
import { markerText } from "./markers.ts";
import type { Answer, Edit, Exchange, Step, StepRecord, Transcript } from "./types.ts";

export const questionLine = `${markerText.question} `;

/** Where a streaming answer grows, as lines after the edits. */
export interface Tip {
  readonly line: number;
  readonly answerLine: number;
}

export interface Opening {
  readonly edits: readonly Edit[];
  readonly tip: Tip;
}

export function isBlankAt(lines: readonly string[], line: number): boolean {
  return /^[ \t]*\r?$/.test(lines[line] ?? "");
}

/** A blank line, unless one or nothing stands above `line` already. */
export function gapAbove(lines: readonly string[], line: number): string[] {
  return line === 0 || isBlankAt(lines, line - 1) ? [] : [""];
}

/** A blank line, unless one or nothing stands at `line` already. */
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

/** A label or a header value as we write it: one line without control characters (format, section 3). */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "[") depth += 1;
    if (character === "]") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

export function answerLine(label: string | null): string {
  if (label === null) return markerText.answer;
  const text = oneLine(label);
  const safe = isBalanced(text) ? text : text.replaceAll("[", "(").replaceAll("]", ")");
  return `${markerText.answer}[${safe}]`;
}

/** The first line of a step: its step line, else its first block; an empty one begins at its mark. */
export function stepTop(step: Step): number {
  return step.range.start;
}

/** Whether the step begins behind the `🤖:` marker, on its line. */
export function startsOnAnswerLine(answer: Answer, step: Step): boolean {
  return step.range.start === answer.range.start;
}

/** The step line of `step` as JSON, keys unknown to us included; empty when it has none. */
export function stepJson(
  transcript: Transcript,
  step: Step | undefined,
): Readonly<Record<string, unknown>> {
  if (step === undefined || step.stepLine === null) return {};
  const comment = parseComment(transcript.lines[step.stepLine] ?? "");
  return comment?.kind === "step" ? comment.json : {};
}

/**
 * The step line that the new step of an answer begins with, or null when it needs none (format, section
 * 6). `before` are the steps above it, `old` is the step that it takes the place of.
 */
export function openingStepLine(
  transcript: Transcript,
  exchange: Exchange,
  before: readonly Step[],
  old: Step | undefined,
  record: StepRecord | null,
): string | null {
  const unknown = stepJson(transcript, old);
  if (record !== null) return renderStepLine(record, unknown);
  if (old !== undefined && old.stepLine !== null) {
    const { state, tail, ...kept } = old.record;
    return renderStepLine(kept, unknown);
  }
  const above = before.at(-1);
  const needed =
    before.some((step) => step.stepLine !== null) ||
    exchange.question.references.length > 0 ||
    (above !== undefined && above.calls.length === 0);
  return needed ? renderStepLine({}) : null;
}

/** Replaces lines `start` to `end` by `head`, an empty tip and the open mark. */
export function openTip(
  lines: readonly string[],
  range: { readonly start: number; readonly end: number },
  head: readonly string[],
  answerLineAfter: number,
): Opening {
  const body = [...head, "", renderUnfinished("open"), ...gapBelow(lines, range.end)];
  return {
    edits: [{ ...range, lines: body }],
    tip: { line: range.start + head.length, answerLine: answerLineAfter },
  };
}
