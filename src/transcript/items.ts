import type { CallLine } from "./call-line.ts";
import { isBlank } from "./code.ts";
import type { ClosingFences, LegacyBlock } from "./legacy.ts";
import { type FenceState, passLine, passMarker } from "./open-fence.ts";
import type { LineRange, Problem, ResultBlock, StepRecord, UnfinishedReason } from "./types.ts";

/** The lines of one parse, and what is known about all of them. */
export interface Source {
  /** Without CR and BOM. */
  readonly lines: readonly string[];
  /** As they are in the file. */
  readonly fileLines: readonly string[];
  readonly closers: ClosingFences;
}

/** What stands in an answer, line by line, before it is grouped into steps. */
export type Item =
  | { readonly kind: "text"; readonly range: LineRange; readonly lines: readonly string[] }
  | { readonly kind: "thought"; readonly range: LineRange; readonly text: string }
  | { readonly kind: "call"; readonly line: number; readonly reading: CallLine }
  | { readonly kind: "legacy-call"; readonly block: LegacyBlock }
  | { readonly kind: "result"; readonly block: ResultBlock }
  | { readonly kind: "step"; readonly line: number; readonly record: StepRecord }
  | { readonly kind: "unfinished"; readonly line: number; readonly reason: UnfinishedReason };

export interface Items {
  readonly label: string | null;
  readonly items: readonly Item[];
  /** Lines of `📝:`, in order. */
  readonly summaries: readonly number[];
  readonly problems: readonly Problem[];
  /** The next `💬:` line, or `end`. */
  readonly end: number;
}

/** Where the scan of an answer stands. Mutable, and seen by nobody outside of it. */
export interface Scan {
  readonly lines: readonly string[];
  readonly end: number;
  readonly closers: ClosingFences;
  readonly fence: FenceState;
  readonly items: Item[];
  readonly summaries: number[];
  readonly problems: Problem[];
  label: string | null;
  /** Content lines of the text being collected, and where they began. */
  text: string[];
  textStart: number;
  hidden: boolean;
  at: number;
}

/** Ends the text being collected; blank lines around it belong to nothing. */
export function flushText(scan: Scan): void {
  const lines = scan.text;
  let first = 0;
  let last = lines.length;
  while (first < last && isBlank(lines[first] ?? "")) first += 1;
  while (last > first && isBlank(lines[last - 1] ?? "")) last -= 1;
  if (first < last) {
    const range = { start: scan.textStart + first, end: scan.textStart + last };
    scan.items.push({ kind: "text", range, lines: lines.slice(first, last) });
  }
  scan.text = [];
}

/** The current line is text with this content. */
export function addText(scan: Scan, content: string): void {
  if (scan.text.length === 0) scan.textStart = scan.at;
  scan.text.push(content);
  passLine(scan.fence, content, scan.at);
  scan.at += 1;
}

/** Ends the text before a structural line, and reports the line when it stands in an open fence. */
export function structural(scan: Scan): void {
  flushText(scan);
  const problem = passMarker(scan.fence, scan.lines, scan.at, "answer");
  if (problem !== null) scan.problems.push(problem);
}
