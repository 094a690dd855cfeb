/** Groups the items of an answer into steps: which text, call and result belongs to which (format, section 6). */
import type { CallLine } from "./call-line.ts";
import type { LegacyBlock } from "./legacy.ts";
import { deleteLine, problemAt } from "./problems.ts";
import { encodeToken } from "./result-block.ts";
import type { Item } from "./scan-lines.ts";
import type {
  CallBlock,
  ContentBlock,
  LineRange,
  Problem,
  ResultBlock,
  StepRecord,
  Unfinished,
} from "./transcript.ts";

/** The items of an answer as steps (format, section 6). */
export interface Grouping {
  readonly lines: readonly string[];
  readonly steps: StepDraft[];
  /** Text and thoughts in no step. */
  readonly loose: LineRange[];
  readonly problems: Problem[];
  unfinished: Unfinished | null;
  /** The call, if the previous item was one; else null. */
  above: CallDraft | null;
}

type UnfinishedItem = Extract<Item, { kind: "unfinished" }>;

function lastStep(grouping: Grouping, line: number): StepDraft {
  const last = grouping.steps.at(-1);
  if (last !== undefined) return last;
  return openStep(grouping, line);
}

function openStep(grouping: Grouping, line: number): StepDraft {
  const step = newStep(line);
  grouping.steps.push(step);
  return step;
}

/** Adds text or a thought: to this step, to the next one, or to none (format, section 6). */
function addContent(grouping: Grouping, block: ContentBlock): void {
  const step = lastStep(grouping, block.range.start);
  if (step.stepLine !== null || step.calls.length === 0) step.entries.push(block);
  else if (isCompletedBatch(step)) openStep(grouping, block.range.start).entries.push(block);
  else grouping.loose.push(block.range);
}

function stepForCall(grouping: Grouping, line: number, source: CallBlock["source"]): StepDraft {
  const step = lastStep(grouping, line);
  const before = step.calls.at(-1)?.block.source;
  const apart = before !== undefined && (before === "legacy" || source === "legacy");
  return apart && step.stepLine === null ? openStep(grouping, line) : step;
}

function addDraft(grouping: Grouping, draft: CallDraft): void {
  const step = stepForCall(grouping, draft.block.line, draft.block.source);
  if (addCall(step, draft)) {
    const message =
      "Another call of this step has the same id, so a result further below may go to the wrong one. Give this call a different id.";
    grouping.problems.push(problemAt(draft.block.line, "duplicate-call-id", message));
  }
  grouping.above = draft;
}

function callDraft(lines: readonly string[], line: number, reading: CallLine): CallDraft {
  const { call, json, decision, notes, broken, id } = reading;
  const block = {
    kind: "call",
    line,
    lineText: lines[line] ?? "",
    call,
    json,
    decision,
    notes,
    broken: broken === null ? null : `This call ${broken}.`,
    source: "parley",
  } as const;
  return { kind: "call", block, lineEnd: line + 1, id, result: null };
}

/**
 * In the Lua Parley a call was approved simply by being in the file; here it is never open and never run (format,
 * section 1).
 */
function legacyDraft(lines: readonly string[], { range, id, name, body }: LegacyBlock): CallDraft {
  const block = {
    kind: "call",
    line: range.start,
    lineText: lines[range.start] ?? "",
    call: { id, name, arguments: body },
    json: "",
    decision: "ya",
    notes: [],
    broken: null,
    source: "legacy",
  } as const;
  return { kind: "call", block, lineEnd: range.end, id, result: null };
}

function addUnfinished(grouping: Grouping, item: UnfinishedItem): void {
  const step = lastStep(grouping, item.line);
  if (isCompletedBatch(step)) openStep(grouping, item.line);
  grouping.unfinished = { line: item.line, reason: item.reason };
}

/** Nothing below the mark is in a step (format, section 6); anything but plain text is reported. */
function addBelowMark(grouping: Grouping, item: Item): void {
  const range = itemRange(item);
  grouping.loose.push(range);
  if (item.kind === "content") return;
  const message =
    "This line is below the mark of an unfinished answer, so it belongs to no step: it is kept, but not sent and never run. Respond again to get the step, or move or delete the line.";
  grouping.problems.push(problemAt(range.start, "below-mark", message));
}

function itemRange(item: Item): LineRange {
  switch (item.kind) {
    case "content":
    case "legacy-call":
    case "result":
      return item.block.range;
    case "call":
    case "step":
    case "unfinished":
      return { start: item.line, end: item.line + 1 };
  }
}

function reportOldMark({ problems }: Grouping, { line }: UnfinishedItem): void {
  const message = "There is another mark below this one, so this one is ignored. Delete the line.";
  problems.push(problemAt(line, "stale-mark", message, [deleteLine(line)]));
}

function addItem(grouping: Grouping, item: Item): void {
  const above = grouping.above;
  grouping.above = null;
  switch (item.kind) {
    case "content":
      addContent(grouping, item.block);
      return;
    case "call":
      addDraft(grouping, callDraft(grouping.lines, item.line, item.reading));
      return;
    case "legacy-call":
      addDraft(grouping, legacyDraft(grouping.lines, item.block));
      return;
    case "result":
      addBlock(grouping, item.block, above);
      return;
    case "step":
      grouping.steps.push(newStep(item.line, item.line, item.record));
      return;
    case "unfinished":
      addUnfinished(grouping, item);
      return;
  }
}

function addBlock(grouping: Grouping, block: ResultBlock, above: CallDraft | null): void {
  const step = grouping.steps.at(-1);
  if (step !== undefined && addResult(step, block, above)) return;
  const message =
    "This result belongs to no call of its step. It is kept but not sent; move it below its call, or correct its id.";
  grouping.problems.push(problemAt(block.range.start, "orphan-result", message));
}

/** Groups the items of an answer into steps. `lines` are those of the file. */
export function groupItems(lines: readonly string[], items: readonly Item[]): Grouping {
  const grouping: Grouping = {
    lines,
    steps: [],
    loose: [],
    problems: [],
    unfinished: null,
    above: null,
  };
  const mark = items.findLast((item) => item.kind === "unfinished");
  for (const item of items) {
    if (grouping.unfinished !== null) addBelowMark(grouping, item);
    else if (item.kind === "unfinished" && item !== mark) reportOldMark(grouping, item);
    else addItem(grouping, item);
  }
  return grouping;
}

/** A call whose result may still be found below it. */
export interface CallDraft {
  readonly kind: "call";
  readonly block: Omit<CallBlock, "result" | "end">;
  /** First line after the call itself. */
  readonly lineEnd: number;
  readonly id: string | null;
  result: ResultBlock | null;
}

export type Entry = ContentBlock | CallDraft;

/** A step being collected. */
export interface StepDraft {
  readonly start: number;
  readonly stepLine: number | null;
  readonly record: StepRecord;
  readonly entries: Entry[];
  readonly calls: CallDraft[];
  /** Calls without a result; an old `🔧:` without one counts as interrupted, so it misses none. */
  missing: number;
  /** Calls by encoded id, in order, for the results below; matched calls are taken from the front. */
  readonly byId: Map<string, { readonly calls: CallDraft[]; next: number }>;
}

const nothingRecorded: StepRecord = {};

function newStep(
  start: number,
  stepLine: number | null = null,
  record: StepRecord = nothingRecorded,
): StepDraft {
  return { start, stepLine, record, entries: [], calls: [], missing: 0, byId: new Map() };
}

/** Whether the step has calls and all of them have their results (format, section 6). */
function isCompletedBatch(step: StepDraft): boolean {
  return step.calls.length > 0 && step.missing === 0;
}

/** Adds a call; returns whether another call of the step already has its id. */
function addCall(step: StepDraft, call: CallDraft): boolean {
  step.entries.push(call);
  step.calls.push(call);
  if (call.block.source === "parley") step.missing += 1;
  if (call.id === null) return false;
  // A result line cannot contain every character of an id, so both are compared in the encoding of that line.
  const id = encodeToken(call.id);
  const same = step.byId.get(id);
  if (same === undefined) step.byId.set(id, { calls: [call], next: 0 });
  else same.calls.push(call);
  return same !== undefined;
}

/** Assigns the result to its call (format, section 5); false when it is an orphan. */
function addResult(step: StepDraft, result: ResultBlock, directlyAbove: CallDraft | null): boolean {
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
