import { scanAnswer } from "./answer-items.ts";
import type { Item, Items } from "./items.ts";
import type { ClosingFences } from "./legacy.ts";
import { markerAt } from "./markers.ts";
import { deleteLine, problemAt } from "./problems.ts";
import { dropBranchLinks } from "./references.ts";
import {
  addCall,
  addResult,
  type CallDraft,
  callEnd,
  type Entry,
  entryRange,
  isCompletedBatch,
  newStep,
  type StepDraft,
} from "./steps.ts";
import type { Answer, Block, CallBlock, LineRange, Problem, Step, Unfinished } from "./types.ts";

interface Grouping {
  readonly lines: readonly string[];
  readonly steps: StepDraft[];
  /** Text and thoughts in no step. */
  readonly loose: LineRange[];
  readonly problems: Problem[];
  unfinished: Unfinished | null;
  /** The call that the item before this one was, or null. */
  above: CallDraft | null;
}

type ContentItem = Extract<Item, { kind: "text" | "thought" }>;
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

/** Text or a thought: of this step, of the next one, or of none (format, section 6). */
function addContent(grouping: Grouping, item: ContentItem): void {
  if (grouping.unfinished !== null) {
    grouping.loose.push(item.range);
    return;
  }
  const step = lastStep(grouping, item.range.start);
  if (step.stepLine !== null || step.calls.length === 0) step.entries.push(item);
  else if (isCompletedBatch(step)) openStep(grouping, item.range.start).entries.push(item);
  else grouping.loose.push(item.range);
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
      "Another call of this step has the same id, so a result further below may go to the wrong one. Give this call an id of its own.";
    grouping.problems.push(problemAt(draft.block.line, "duplicate-call-id", message));
  }
  grouping.above = draft;
}

function draftOf(
  lines: readonly string[],
  item: Extract<Item, { kind: "call" | "legacy-call" }>,
): CallDraft {
  if (item.kind === "call") {
    const { call, json, decision, notes, broken, id } = item.reading;
    const lineText = lines[item.line] ?? "";
    const base = { kind: "call", line: item.line, lineText, call, json, decision } as const;
    const why = broken === null ? null : `This call ${broken}.`;
    const block = { ...base, notes, broken: why, source: "parley" } as const;
    return { kind: "call", block, lineEnd: item.line + 1, id, result: null };
  }
  const { range, id, name, body } = item.block;
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

function addUnfinished(grouping: Grouping, item: UnfinishedItem, counts: boolean): void {
  if (!counts) {
    const message =
      "A step, a call, a result or another mark stands below this mark, so it counts for nothing. Delete the line.";
    const fixes = [deleteLine(item.line)];
    grouping.problems.push(problemAt(item.line, "stale-mark", message, fixes));
    return;
  }
  const step = lastStep(grouping, item.line);
  if (isCompletedBatch(step)) openStep(grouping, item.line);
  grouping.unfinished = { line: item.line, reason: item.reason };
}

function addItem(grouping: Grouping, item: Item, lastMark: Item | undefined): void {
  const above = grouping.above;
  grouping.above = null;
  switch (item.kind) {
    case "text":
    case "thought":
      addContent(grouping, item);
      return;
    case "call":
    case "legacy-call":
      addDraft(grouping, draftOf(grouping.lines, item));
      return;
    case "result": {
      const step = grouping.steps.at(-1);
      if (step !== undefined && addResult(step, item.block, above)) return;
      const message =
        "This result belongs to no call of its step. It is kept and not sent; move it below its call, or correct its id.";
      grouping.problems.push(problemAt(item.block.range.start, "orphan-result", message));
      return;
    }
    case "step":
      grouping.steps.push(newStep(item.line, item.line, item.record));
      return;
    case "unfinished":
      addUnfinished(grouping, item, item === lastMark);
      return;
  }
}

/** The mark that counts: the last one, when nothing but text stands below it. */
function findMark(items: readonly Item[]): Item | undefined {
  const last = items.findLast((item) => item.kind !== "text" && item.kind !== "thought");
  return last?.kind === "unfinished" ? last : undefined;
}

/** Without `"tail":true`, what stands below the last call of a step with a step line is the person's. */
function dropTail(step: StepDraft, loose: LineRange[]): readonly Entry[] {
  if (step.stepLine === null || step.record.tail === true || step.calls.length === 0) {
    return step.entries;
  }
  const end = step.entries.findLastIndex((entry) => entry.kind === "call") + 1;
  loose.push(...step.entries.slice(end).map(entryRange));
  return step.entries.slice(0, end);
}

function toBlock(entry: Entry): Block {
  switch (entry.kind) {
    case "text":
      return {
        kind: "text",
        range: entry.range,
        text: dropBranchLinks(entry.lines.join("\n")),
      };
    case "thought":
      return { kind: "thought", range: entry.range, text: entry.text };
    case "call":
      return { ...entry.block, result: entry.result, end: callEnd(entry) };
  }
}

function toStep(draft: StepDraft, loose: LineRange[]): Step {
  const entries = dropTail(draft, loose);
  const blocks = entries.map(toBlock);
  const ends = entries.map((entry) => entryRange(entry).end);
  const stepLineEnd = draft.stepLine === null ? draft.start : draft.stepLine + 1;
  const end = ends.reduce((most, next) => Math.max(most, next), stepLineEnd);
  return {
    range: { start: draft.start, end },
    stepLine: draft.stepLine,
    record: draft.record,
    blocks,
    calls: blocks.filter((block) => block.kind === "call"),
  };
}

/** Text of the last `📝:` line that stands in a step. */
function findSummary(
  lines: readonly string[],
  summaries: readonly number[],
  steps: readonly Step[],
): string | null {
  const texts = steps.flatMap((step) => step.blocks.filter((block) => block.kind === "text"));
  let candidate = summaries.length - 1;
  for (const { range } of texts.toReversed()) {
    let line = summaries[candidate];
    while (line !== undefined && line >= range.end) {
      candidate -= 1;
      line = summaries[candidate];
    }
    if (line === undefined) return null;
    if (line < range.start) continue;
    const text = lines[line] ?? "";
    return text.slice(markerAt(text)?.text.length ?? 0).trim();
  }
  return null;
}

function findTip(start: number, steps: readonly Step[], unfinished: Unfinished | null): number {
  return unfinished?.line ?? steps.at(-1)?.range.end ?? start + 1;
}

function findAside(loose: readonly LineRange[], tip: number): LineRange | null {
  const below = loose.filter((range) => range.start >= tip).sort((a, b) => a.start - b.start);
  const first = below[0];
  const last = below.at(-1);
  return first === undefined || last === undefined ? null : { start: first.start, end: last.end };
}

function groupItems(lines: readonly string[], { items }: Items): Grouping {
  const grouping: Grouping = {
    lines,
    steps: [],
    loose: [],
    problems: [],
    unfinished: null,
    above: null,
  };
  const mark = findMark(items);
  for (const item of items) addItem(grouping, item, mark);
  return grouping;
}

export interface AnswerReading {
  readonly answer: Answer;
  readonly problems: readonly Problem[];
}

/** Reads the answer whose `🤖:` line is `start`, up to the next `💬:` or to `end` (format, section 6). */
export function parseAnswer(
  lines: readonly string[],
  start: number,
  end: number,
  closers: ClosingFences,
): AnswerReading {
  const scanned = scanAnswer(lines, start, end, closers);
  const { steps: drafts, loose, unfinished, problems } = groupItems(lines, scanned);
  const steps = drafts.map((draft) => toStep(draft, loose));
  const tip = findTip(start, steps, unfinished);
  const answer = {
    range: { start, end: scanned.end },
    label: scanned.label,
    steps,
    unfinished,
    tip,
    aside: findAside(loose, tip),
    summary: findSummary(lines, scanned.summaries, steps),
  };
  return { answer, problems: [...scanned.problems, ...problems] };
}
