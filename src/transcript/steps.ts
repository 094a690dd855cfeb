import type { Item } from "./items.ts";
import { encodeToken } from "./result-block.ts";
import type { CallBlock, LineRange, ResultBlock, StepRecord } from "./types.ts";

/** A call whose result may still be found below it. */
export interface CallDraft {
  readonly kind: "call";
  readonly block: Omit<CallBlock, "result" | "end">;
  /** First line after the call itself. */
  readonly lineEnd: number;
  readonly id: string | null;
  result: ResultBlock | null;
}

export type Entry = Extract<Item, { kind: "text" | "thought" }> | CallDraft;

/** A step being collected. */
export interface StepDraft {
  readonly start: number;
  readonly stepLine: number | null;
  readonly record: StepRecord;
  readonly entries: Entry[];
  readonly calls: CallDraft[];
  /** Calls without a result; an old `🔧:` without one counts as interrupted, so it misses none. */
  missing: number;
  /** Calls by encoded id, in order, for the results below; found ones are taken from the front. */
  readonly byId: Map<string, { readonly calls: CallDraft[]; next: number }>;
}

export function newStep(
  start: number,
  stepLine: number | null = null,
  record: StepRecord = {},
): StepDraft {
  return { start, stepLine, record, entries: [], calls: [], missing: 0, byId: new Map() };
}

/** There are calls, and nothing more is to come for them (format, section 6). */
export function isCompletedBatch(step: StepDraft): boolean {
  return step.calls.length > 0 && step.missing === 0;
}

/** Adds a call; returns whether another call of the step has its id already. */
export function addCall(step: StepDraft, call: CallDraft): boolean {
  step.entries.push(call);
  step.calls.push(call);
  if (call.block.source === "parley") step.missing += 1;
  if (call.id === null) return false;
  // A result line cannot hold every character of an id, so both are compared as that line writes them.
  const id = encodeToken(call.id);
  const same = step.byId.get(id);
  if (same === undefined) step.byId.set(id, { calls: [call], next: 0 });
  else same.calls.push(call);
  return same !== undefined;
}

/** Gives the result to its call (format, section 5); false when it is an orphan. */
export function addResult(
  step: StepDraft,
  result: ResultBlock,
  directlyAbove: CallDraft | null,
): boolean {
  const id = encodeToken(result.callId);
  const same = step.byId.get(id);
  if (same === undefined) return false;
  const isAbove =
    directlyAbove !== null &&
    directlyAbove.result === null &&
    directlyAbove.id !== null &&
    encodeToken(directlyAbove.id) === id;
  while (same.calls[same.next]?.result) same.next += 1;
  const call = isAbove ? directlyAbove : same.calls[same.next];
  if (call === undefined) return false;
  call.result = result;
  if (call.block.source === "parley") step.missing -= 1;
  return true;
}

export function callEnd(call: CallDraft): number {
  return call.result === null ? call.lineEnd : Math.max(call.lineEnd, call.result.range.end);
}

export function entryRange(entry: Entry): LineRange {
  return entry.kind === "call" ? { start: entry.block.line, end: callEnd(entry) } : entry.range;
}
