/**
 * Parses one answer: its lines are scanned into items (`scan-lines.ts`), the items grouped into steps (`grouping.ts`).
 */
import { callEnd, type Entry, entryRange, groupItems, type StepDraft } from "./grouping.ts";
import { type Marker, type MarkerName, markerAt, unescapeLine } from "./markers.ts";
import {
  type AnswerSource,
  addText,
  checkFenceAtEnd,
  checkFenceAtMarker,
  flushText,
  type Items,
  isChoicePrompt,
  noFence,
  type Scan,
  scanAnswerLine,
  scanCall,
  scanComment,
  scanLegacy,
  scanResult,
  scanThought,
  structural,
} from "./scan-lines.ts";
import type { Answer, Block, LineRange, Problem, Step, Unfinished } from "./transcript.ts";

/** Without `"tail":true`, whatever is below the last call of a step with a step line belongs to the user. */
function dropTail(step: StepDraft, loose: LineRange[]): readonly Entry[] {
  if (step.stepLine === null || step.record.tail === true || step.calls.length === 0) {
    return step.entries;
  }
  const end = step.entries.findLastIndex((entry) => entry.kind === "call") + 1;
  for (const entry of step.entries.slice(end)) loose.push(entryRange(entry));
  return step.entries.slice(0, end);
}

function toBlock(entry: Entry): Block {
  if (entry.kind !== "call") return entry;
  return { ...entry.block, result: entry.result, end: callEnd(entry) };
}

/** Most steps have no call, so they all share one list. */
const none: readonly never[] = [];

function toStep(draft: StepDraft, loose: LineRange[]): Step {
  const entries = dropTail(draft, loose);
  const blocks = entries.map(toBlock);
  const ranges = entries.map(entryRange);
  const stepLineEnd = draft.stepLine === null ? draft.start : draft.stepLine + 1;
  const end = ranges.reduce((most, { end: next }) => Math.max(most, next), stepLineEnd);
  const { start } = draft;
  // Most steps are one text, so step and text share one range.
  const [range] = ranges.filter((one) => one.start === start && one.end === end);
  return {
    range: range ?? { start, end },
    stepLine: draft.stepLine,
    record: draft.record,
    blocks,
    calls: draft.calls.length === 0 ? none : blocks.filter((block) => block.kind === "call"),
  };
}

/** Text of the last `📝:` line that is in a step. */
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

/** The equal text that was kept before, if there is one, so that equal texts share memory. */
function kept(texts: Map<string, string>, text: string): string {
  const before = texts.get(text);
  if (before === undefined) texts.set(text, text);
  return before ?? text;
}

export interface AnswerReading {
  readonly answer: Answer;
  readonly problems: readonly Problem[];
}

/** Parses the answer whose `🤖:` line is `start`, up to the next `💬:` or to `end` (format, section 6). */
export function parseAnswer(source: AnswerSource, start: number, end: number): AnswerReading {
  const scanned = scanAnswer(source, start, end);
  const {
    steps: drafts,
    loose,
    unfinished,
    problems,
  } = groupItems(source.fileLines, scanned.items);
  const steps = drafts.map((draft) => toStep(draft, loose));
  const tip = findTip(start, steps, unfinished);
  const answer = {
    range: { start, end: scanned.end },
    label: scanned.label === null ? null : kept(source.labels, scanned.label),
    steps,
    unfinished,
    tip,
    aside: findAside(loose, tip),
    summary: findSummary(source.lines, scanned.summaries, steps),
  };
  return { answer, problems: [...scanned.problems, ...problems] };
}

/** Reads what a marker begins, and moves `scan.at` past it. */
type Scanner = (scan: Scan, marker: Marker, isFirst: boolean) => void;

/** What each marker does in an answer (format, section 1). The next `💬:` has already ended the scan. */
const scanners: Readonly<Record<MarkerName, Scanner>> = {
  answer: (scan, _, isFirst) => scanAnswerLine(scan, isFirst),
  thought: scanThought,
  summary: scanSummary,
  call: scanCall,
  result: scanResult,
  comment: scanComment,
  "legacy-call": scanLegacy,
  "legacy-result": scanLegacy,
  private(scan) {
    scan.hidden = true;
    passStructural(scan);
  },
  branch: passStructural,
  question: passStructural,
};

/** Passes a line that is not text of the answer. */
function passStructural(scan: Scan): void {
  structural(scan);
  scan.at += 1;
}

/** A summary is a line of the text, yet it counts as a marker in an open fence. */
function scanSummary(scan: Scan): void {
  const problem = checkFenceAtMarker(scan.fence, scan.lines, scan.at, "answer");
  if (problem !== null) scan.problems.push(problem);
  scan.summaries.push(scan.at);
  addText(scan, scan.lines[scan.at] ?? "");
}

function scanLine(scan: Scan, marker: Marker | null, isFirst: boolean): void {
  if (scan.hidden && marker?.name !== "answer") scan.at += 1;
  else if (isChoicePrompt(scan.lines[scan.at] ?? "") && scan.fence.fence === null)
    passStructural(scan);
  else if (marker === null) addText(scan, unescapeLine(scan.lines[scan.at] ?? ""));
  else scanners[marker.name](scan, marker, isFirst);
}

/** Scans the answer whose `🤖:` line is `start`, up to the next `💬:` or to `end`. */
function scanAnswer({ lines, closers }: AnswerSource, start: number, end: number): Items {
  const scan: Scan = {
    lines,
    end,
    closers,
    fence: noFence(),
    items: [],
    summaries: [],
    problems: [],
    label: null,
    text: [],
    textStart: start,
    hidden: false,
    at: start,
  };
  let marker: Marker | null = null;
  while (scan.at < end) {
    marker = markerAt(lines[scan.at] ?? "");
    if (marker?.name === "question") break;
    scanLine(scan, marker, scan.at === start);
  }
  flushText(scan);
  const problem =
    marker?.name === "question"
      ? checkFenceAtMarker(scan.fence, lines, scan.at, "answer")
      : checkFenceAtEnd(scan.fence, lines, scan.at);
  if (problem !== null) scan.problems.push(problem);
  const { label, items, summaries, problems } = scan;
  return { label, items, summaries, problems, end: scan.at };
}
