import { scanAnswer } from "./answer-items.ts";
import { groupItems } from "./grouping.ts";
import type { Source } from "./items.ts";
import { markerAt } from "./markers.ts";
import { dropBranchLinks } from "./references.ts";
import { callEnd, type Entry, entryRange, type StepDraft } from "./steps.ts";
import type { Answer, Block, LineRange, Problem, Step, Unfinished } from "./types.ts";

/** Without `"tail":true`, what stands below the last call of a step with a step line is the person's. */
function dropTail(step: StepDraft, loose: LineRange[]): readonly Entry[] {
  if (step.stepLine === null || step.record.tail === true || step.calls.length === 0) {
    return step.entries;
  }
  const end = step.entries.findLastIndex((entry) => entry.kind === "call") + 1;
  for (const entry of step.entries.slice(end)) loose.push(entryRange(entry));
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

export interface AnswerReading {
  readonly answer: Answer;
  readonly problems: readonly Problem[];
}

/** Reads the answer whose `🤖:` line is `start`, up to the next `💬:` or to `end` (format, section 6). */
export function parseAnswer(source: Source, start: number, end: number): AnswerReading {
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
    label: scanned.label,
    steps,
    unfinished,
    tip,
    aside: findAside(loose, tip),
    summary: findSummary(source.lines, scanned.summaries, steps),
  };
  return { answer, problems: [...scanned.problems, ...problems] };
}
