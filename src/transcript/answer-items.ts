import { addText, flushText, type Items, type Scan, type Source, structural } from "./items.ts";
import { type Marker, markerAt, unescapeLine } from "./markers.ts";
import { noFence, passEnd, passMarker } from "./open-fence.ts";
import {
  scanAnswerLine,
  scanCall,
  scanComment,
  scanLegacy,
  scanResult,
  scanThought,
} from "./scan-lines.ts";

/** What each marker does in an answer (format, section 1). The next `💬:` has ended the scan before. */
function scanMarker(scan: Scan, marker: Marker, isFirst: boolean): void {
  switch (marker.name) {
    case "answer":
      scanAnswerLine(scan, isFirst);
      return;
    case "thought":
      scanThought(scan, marker);
      return;
    case "summary":
      scanSummary(scan);
      return;
    case "call":
      scanCall(scan);
      return;
    case "result":
      scanResult(scan);
      return;
    case "comment":
      scanComment(scan);
      return;
    case "legacy-call":
    case "legacy-result":
      scanLegacy(scan);
      return;
    case "private":
      structural(scan);
      scan.hidden = true;
      scan.at += 1;
      return;
    case "branch":
    case "question":
      structural(scan);
      scan.at += 1;
      return;
  }
}

/** A summary is a line of the text, but a marker in an open fence all the same. */
function scanSummary(scan: Scan): void {
  const problem = passMarker(scan.fence, scan.lines, scan.at, "answer");
  if (problem !== null) scan.problems.push(problem);
  scan.summaries.push(scan.at);
  addText(scan, scan.lines[scan.at] ?? "");
}

function scanLine(scan: Scan, marker: Marker | null, isFirst: boolean): void {
  if (scan.hidden && marker?.name !== "answer") scan.at += 1;
  else if (marker === null) addText(scan, unescapeLine(scan.lines[scan.at] ?? ""));
  else scanMarker(scan, marker, isFirst);
}

/** Scans the answer whose `🤖:` line is `start`, up to the next `💬:` or to `end`. */
export function scanAnswer({ lines, closers }: Source, start: number, end: number): Items {
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
      ? passMarker(scan.fence, lines, scan.at, "answer")
      : passEnd(scan.fence, lines, scan.at);
  if (problem !== null) scan.problems.push(problem);
  const { label, items, summaries, problems } = scan;
  return { label, items, summaries, problems, end: scan.at };
}
