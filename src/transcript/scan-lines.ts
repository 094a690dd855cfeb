/** What each marker of an answer does: scans the lines of an answer into items (format, sections 1 to 6). */
import { type CallLine, parseCallLine } from "./call-line.ts";
import { closesFence, type Fence, isBlank, openingFence } from "./code.ts";
import { parseComment } from "./comments.ts";
import { type ClosingFences, type LegacyBlock, parseLegacy } from "./legacy.ts";
import { type Marker, markerAt, readAnswerLine, unescapeLine } from "./markers.ts";
import {
  closeFence,
  deleteLine,
  escapeStructure,
  fenceAround,
  type ProblemCode,
  problemAt,
} from "./problems.ts";
import { dropBranchLinks } from "./references.ts";
import { parseResult } from "./result-block.ts";
import type {
  ContentBlock,
  Problem,
  ResultBlock,
  StepRecord,
  UnfinishedReason,
} from "./transcript.ts";

export function scanAnswerLine(scan: Scan, isFirst: boolean): void {
  structural(scan);
  scan.hidden = false;
  const { label, text } = readAnswerLine(scan.lines[scan.at] ?? "");
  if (isFirst) scan.label = label;
  else {
    const message =
      "This exchange has an answer already; this line continues it. Delete the line, or write a 💬: question above it.";
    scan.problems.push(problemAt(scan.at, "second-answer", message, [deleteLine(scan.at)]));
  }
  addText(scan, text);
}

/** First line after the thought that begins at the current line (format, section 1). */
function findThoughtEnd(scan: Scan): number {
  let paragraph: number | null = null;
  for (let line = scan.at + 1; line < scan.end; line += 1) {
    const text = scan.lines[line] ?? "";
    if (isThoughtEnd(text)) return line + 1;
    if (markerAt(text) !== null) return paragraph ?? line;
    if (paragraph === null && isBlank(text)) paragraph = line;
  }
  return paragraph ?? scan.end;
}

function isThoughtEnd(line: string): boolean {
  const marker = markerAt(line);
  return marker?.name === "thought" && /^[ \t]*\[END\][ \t]*$/.test(line.slice(marker.text.length));
}

export function scanThought(scan: Scan, marker: Marker): void {
  structural(scan);
  const start = scan.at;
  const line = scan.lines[start] ?? "";
  if (isThoughtEnd(line)) {
    scan.at += 1;
    return;
  }
  const end = findThoughtEnd(scan);
  const closed = isThoughtEnd(scan.lines[end - 1] ?? "");
  const below = scan.lines.slice(start + 1, closed ? end - 1 : end).map(unescapeLine);
  const text = [line.slice(marker.text.length), ...below].join("\n").trim();
  scan.items.push({ kind: "content", block: { kind: "thought", range: { start, end }, text } });
  scan.at = end;
}

function lookAlike(scan: Scan, code: ProblemCode, message: string): void {
  const fixes = [escapeStructure(scan.lines, scan.at)];
  scan.problems.push(problemAt(scan.at, code, message, fixes));
  addText(scan, scan.lines[scan.at] ?? "");
}

export function scanCall(scan: Scan): void {
  const line = scan.at;
  const reading = parseCallLine(scan.lines[line] ?? "");
  if (reading === null) {
    const message =
      "This looks like a tool call but has no code span, so it is text. If you mean text, put a backslash in front of it.";
    lookAlike(scan, "look-alike", message);
    return;
  }
  structural(scan);
  if (reading.broken !== null) {
    const message = `This call ${reading.broken}. It is kept, but not sent and never run; repair the line, or decline it to make it text.`;
    scan.problems.push(
      problemAt(line, "broken-call", message, [escapeStructure(scan.lines, line)]),
    );
  }
  if (reading.unknownDecision !== null) {
    const message = `There is no decision [${reading.unknownDecision.slice(0, 40)}]; the call counts as undecided. Press a key on it to decide.`;
    scan.problems.push(problemAt(line, "unknown-decision", message));
  }
  scan.items.push({ kind: "call", line, reading });
  scan.at += 1;
}

export function scanResult(scan: Scan): void {
  const line = scan.at;
  const reading = parseResult(scan.lines, line, scan.end);
  if (reading === null) {
    const message =
      "This looks like a tool result but has no [name], so it is text. If you mean text, put a backslash in front of it.";
    lookAlike(scan, "look-alike", message);
    return;
  }
  structural(scan);
  if (reading.malformed !== null) {
    const message = `This result ${reading.malformed}; what could be read is used. Correct the line.`;
    scan.problems.push(problemAt(line, "malformed-result", message));
  }
  if (reading.bare !== null) {
    const message =
      "The text below this result has no backticks around it, so the result is empty and the text is the model's. Put a fence around it.";
    const fixes = [fenceAround(scan.lines, reading.bare)];
    scan.problems.push(problemAt(line, "bare-result", message, fixes));
  }
  if (reading.openFence !== null) {
    const fence = noFence();
    trackFence(fence, scan.lines[reading.openFence] ?? "", reading.openFence);
    const problem = checkFenceAtEnd(fence, scan.lines, reading.block.range.end);
    if (problem !== null) scan.problems.push(problem);
  }
  scan.items.push({ kind: "result", block: reading.block });
  scan.at = reading.block.range.end;
}

function legacyResult(block: LegacyBlock): ResultBlock {
  return {
    range: block.range,
    name: block.name,
    callId: block.id,
    status: block.isError ? "error" : "ok",
    attachments: [],
    fullText: null,
    text: block.body,
  };
}

/** A block inside a fence is quoted: it has no body, so it cannot claim the lines below as one. */
export function scanLegacy(scan: Scan): void {
  if (scan.fence.fence !== null) {
    const message =
      "This tool block of the Lua Parley is in a code fence, so it is text. If it was meant, close the fence above it.";
    lookAlike(scan, "look-alike", message);
    return;
  }
  const block = parseLegacy(scan.lines, scan.at, scan.closers);
  if (block === null) {
    const message =
      "This looks like a tool block of the Lua Parley but is not one, so it is text. If you mean text, put a backslash in front of it.";
    lookAlike(scan, "look-alike", message);
    return;
  }
  if (block === "unclosed") {
    const message =
      "The body of this tool block is not closed, so the block is text. Close its fence with as many backticks as opened it.";
    lookAlike(scan, "unclosed-legacy", message);
    return;
  }
  structural(scan);
  if (block.kind === "call") scan.items.push({ kind: "legacy-call", block });
  else scan.items.push({ kind: "result", block: legacyResult(block) });
  scan.at = block.range.end;
}

/** Scans a `<!-- parley:` line. Text is cut where the unfinished mark is, so an open fence is expected there. */
export function scanComment(scan: Scan): void {
  const line = scan.at;
  const comment = parseComment(scan.lines[line] ?? "");
  if (comment?.kind === "unfinished") {
    flushText(scan);
    scan.fence.fence = null;
    scan.items.push({ kind: "unfinished", line, reason: comment.reason });
  } else {
    structural(scan);
    if (comment?.kind === "step") scan.items.push({ kind: "step", line, record: comment.record });
    if (comment?.kind === "malformed") {
      const message = `This line of Parley's own is ignored: ${comment.why}. Correct it or delete it.`;
      const fixes = [deleteLine(line), escapeStructure(scan.lines, line)];
      scan.problems.push(problemAt(line, "malformed-comment", message, fixes));
    }
  }
  scan.at += 1;
}

/** The lines of one parse, and what is shared by all of them. */
export interface AnswerSource {
  /** Without CR and BOM. */
  readonly lines: readonly string[];
  /** As they are in the file. */
  readonly fileLines: readonly string[];
  readonly closers: ClosingFences;
  /** Labels of answers: a chat has few different ones, and keeps each once. */
  readonly labels: Map<string, string>;
}

/** The content of an answer, line by line, before it is grouped into steps. */
export type Item =
  | { readonly kind: "content"; readonly block: ContentBlock }
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

/** The state of the scan of an answer. Mutable, and not visible outside of it. */
export interface Scan {
  readonly lines: readonly string[];
  readonly end: number;
  readonly closers: ClosingFences;
  readonly fence: FenceState;
  readonly items: Item[];
  readonly summaries: number[];
  readonly problems: Problem[];
  label: string | null;
  /** Content lines of the text being collected, and the line where they began. */
  text: string[];
  textStart: number;
  hidden: boolean;
  at: number;
}

/** Ends the text being collected; blank lines around it belong to no block. */
export function flushText(scan: Scan): void {
  const lines = scan.text;
  let first = 0;
  let last = lines.length;
  while (first < last && isBlank(lines[first] ?? "")) first += 1;
  while (last > first && isBlank(lines[last - 1] ?? "")) last -= 1;
  if (first < last) {
    const range = { start: scan.textStart + first, end: scan.textStart + last };
    const text = dropBranchLinks(lines.slice(first, last).join("\n"));
    scan.items.push({ kind: "content", block: { kind: "text", range, text } });
  }
  scan.text = [];
}

/** Takes the current line as text with this content. */
export function addText(scan: Scan, content: string): void {
  if (scan.text.length === 0) scan.textStart = scan.at;
  scan.text.push(content);
  trackFence(scan.fence, content, scan.at);
  scan.at += 1;
}

/**
 * `>> Please choose (yA/ya/yo/yO):`, as some chats have it below their calls: not part of any text (format, section
 * 13).
 */
export function isChoicePrompt(line: string): boolean {
  return (
    line.startsWith(">>") && /^>>[ \t]*Please choose \((?:y[aAoOnN]\/?)+\):?[ \t]*$/.test(line)
  );
}

/** Ends the text before a structural line, and reports the line when it is inside an open fence. */
export function structural(scan: Scan): void {
  flushText(scan);
  const problem = checkFenceAtMarker(scan.fence, scan.lines, scan.at, "answer");
  if (problem !== null) scan.problems.push(problem);
}

/**
 * Tracks Markdown fences through the text of one exchange. They decide nothing; a structural marker inside a fence is
 * reported, once, at the line that opened the fence (format, section 2).
 */
export interface FenceState {
  fence: Fence | null;
  opener: number;
  reported: boolean;
}

export function noFence(): FenceState {
  return { fence: null, opener: 0, reported: false };
}

/** Updates the state with one line of text. */
export function trackFence(state: FenceState, line: string, number: number): void {
  if (state.fence !== null) {
    if (closesFence(line, state.fence)) state.fence = null;
    return;
  }
  state.fence = openingFence(line);
  state.opener = number;
  state.reported = false;
}

/** The best place to close the fence: below its last line of code, above blank lines. */
function closingPlace(state: FenceState, lines: readonly string[], end: number): number {
  let place = end;
  while (place - 1 > state.opener && isBlank(lines[place - 1] ?? "")) place -= 1;
  return place;
}

/**
 * The report for a structural marker at line `number`, or null when no fence is open there. In an answer, a fence was
 * most likely left open; in a question, text was most likely pasted.
 */
export function checkFenceAtMarker(
  state: FenceState,
  lines: readonly string[],
  number: number,
  place: "question" | "answer",
): Problem | null {
  if (state.fence === null || state.reported) return null;
  state.reported = true;
  const close = closeFence(state.fence, closingPlace(state, lines, number));
  const asText = escapeStructure(lines, number);
  const message =
    `The fence opened here is still open at the marker on line ${number + 1}, which still counts as a marker. ` +
    "Close the fence above it, or put a backslash in front of the marker to make it text.";
  const fixes = place === "answer" ? [close, asText] : [asText, close];
  return problemAt(state.opener, "marker-in-fence", message, fixes);
}

/** The report for a fence that is open at the end of the text, where line `end` would follow. */
export function checkFenceAtEnd(
  state: FenceState,
  lines: readonly string[],
  end: number,
): Problem | null {
  if (state.fence === null || state.reported) return null;
  state.reported = true;
  const message =
    "The fence opened here is not closed; everything below it in this text counts as code.";
  const fixes = [closeFence(state.fence, closingPlace(state, lines, end))];
  return problemAt(state.opener, "unclosed-fence", message, fixes);
}
