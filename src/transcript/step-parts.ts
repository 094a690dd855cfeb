/** The parts of a model's response, and where its calls go among the text that stands in the file already. */
import { renderCallLine } from "./call-line.ts";
import { isBlankAt } from "./layout.ts";
import { escapeAnswerText } from "./markers.ts";
import { type ResultInput, renderResult } from "./result-block.ts";
import type { Decision, Step, ToolCall, Transcript } from "./types.ts";

export interface CallPart {
  readonly type: "call";
  readonly call: ToolCall;
  readonly decision: Decision | null;
  readonly notes: readonly string[];
  /** For a call that cannot be offered; null when it waits. */
  readonly result: ResultInput | null;
}

/** A text or a call of a model's response. */
export type StepPart = { readonly type: "text"; readonly text: string } | CallPart;

/** Calls that go in above line `before` of the file, or at the end of the step. */
export interface CallGroup {
  readonly before: number | "end";
  readonly calls: readonly CallPart[];
}

interface TextLine {
  readonly line: number;
  readonly text: string;
}

/** The lines of the step's text that are not blank, with their places in the file. */
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

/** All calls below all text. */
export function callsAtEnd(parts: readonly StepPart[]): CallGroup[] {
  const calls = parts.filter((part) => part.type === "call");
  return calls.length === 0 ? [] : [{ before: "end", calls }];
}

/**
 * Where each call of the response belongs: above the text that followed it, as long as the text in the
 * file still is that of the response; else all at the end.
 */
export function placeCalls(
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
    const lines = escapeAnswerText(part.text).filter((line) => line.trim() !== "");
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

/** Whether the response goes on with text after its last call. */
export function hasTail(groups: readonly CallGroup[]): boolean {
  const last = groups.at(-1);
  return last !== undefined && last.before !== "end";
}

/** Calls as section 12 of the format shows them: waiting ones line by line, a result between blank lines. */
export function renderCalls(calls: readonly CallPart[]): string[] {
  return calls.flatMap(({ call, decision, notes, result }, index) => {
    const line = renderCallLine(call, decision, notes);
    if (result === null) return [line];
    const isLast = index === calls.length - 1;
    return [line, "", ...renderResult(result), ...(isLast ? [] : [""])];
  });
}
