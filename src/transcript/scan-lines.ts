import { readAnswerLine } from "./answer-line.ts";
import { parseCallLine } from "./call-line.ts";
import { isBlank } from "./code.ts";
import { parseComment } from "./comments.ts";
import { addText, flushText, type Scan, structural } from "./items.ts";
import { type LegacyBlock, parseLegacy } from "./legacy.ts";
import { type Marker, markerAt, unescapeLine } from "./markers.ts";
import { noFence, passEnd, passLine } from "./open-fence.ts";
import { deleteLine, escapeStructure, type ProblemCode, problemAt } from "./problems.ts";
import { parseResult } from "./result-block.ts";
import type { ResultBlock } from "./types.ts";

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
    if (text.startsWith("🧠") && isThoughtEnd(text)) return line + 1;
    if (markerAt(text) !== null) return paragraph ?? line;
    if (paragraph === null && isBlank(text)) paragraph = line;
  }
  return paragraph ?? scan.end;
}

function isThoughtEnd(line: string): boolean {
  const marker = markerAt(line);
  return marker?.name === "thought" && line.slice(marker.text.length).trim() === "[END]";
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
  scan.items.push({ kind: "thought", range: { start, end }, text });
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
      "This looks like a tool call but has no code span, so it is text. A backslash in front of it says so.";
    lookAlike(scan, "look-alike", message);
    return;
  }
  structural(scan);
  if (reading.broken !== null) {
    const message = `This call ${reading.broken}. It is kept, not sent and never run; repair the line, or decline it, which makes it text.`;
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
      "This looks like a tool result but has no [name], so it is text. A backslash in front of it says so.";
    lookAlike(scan, "look-alike", message);
    return;
  }
  structural(scan);
  if (reading.malformed !== null) {
    const message = `This result ${reading.malformed}; what could be read is used. Correct the line.`;
    scan.problems.push(problemAt(line, "malformed-result", message));
  }
  if (reading.openFence !== null) {
    const fence = noFence();
    passLine(fence, scan.lines[reading.openFence] ?? "", reading.openFence);
    const problem = passEnd(fence, scan.lines, reading.block.range.end);
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

export function scanLegacy(scan: Scan): void {
  const block = parseLegacy(scan.lines, scan.at, scan.closers);
  if (block === null) {
    const message =
      "This looks like a tool block of the Lua Parley but is none, so it is text. A backslash in front of it says so.";
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

/** A `<!-- parley:` line. The unfinished mark stands where text is cut, so an open fence there is expected. */
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
