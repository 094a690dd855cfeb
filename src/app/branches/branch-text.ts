/** The text of a branch: the other chat up to one exchange, and a link back to that chat. Pure. */
import { openCalls } from "../../conversation/decide/next-step.ts";
import { emptySession } from "../../conversation/decide/session.ts";
import { isBlank } from "../../transcript/code.ts";
import { setHeaderValue } from "../../transcript/edits/header-edits.ts";
import { applyEdits } from "../../transcript/edits/layout.ts";
import { markerAt, markerText } from "../../transcript/markers.ts";
import { parseLines } from "../../transcript/parse.ts";
import type { Edit, Exchange, Transcript } from "../../transcript/transcript.ts";

/** Whether an exchange has anything that a branch could continue. */
export function isSaid({ question, answer }: Exchange): boolean {
  return question.text !== "" || answer !== null;
}

/** The exchange that a branch at this line ends with: the nearest one at or above it that is not empty. */
export function branchPoint(transcript: Transcript, line: number): Exchange | null {
  return transcript.exchanges.findLast((one) => one.range.start <= line && isSaid(one)) ?? null;
}

/**
 * The lines of the new chat, with links into its own files folder. A topic in its header is reset to `?`, and it ends
 * with an empty question.
 */
export function branchText(
  transcript: Transcript,
  exchange: Exchange,
  {
    link,
    renameFilesFolder,
  }: { readonly link: string; readonly renameFilesFolder: (line: string) => string },
): readonly string[] {
  const { answer } = exchange;
  // Text that the user wrote below the answer was not sent, and stays in the other chat.
  const end = lastLine(transcript.lines, answer?.aside?.start ?? exchange.range.end);
  const kept = withoutLinks(transcript, end);
  const isOver =
    answer !== null &&
    answer.unfinished === null &&
    openCalls(transcript, exchange, emptySession).length === 0;
  const lines = [...kept, ...(isOver ? ["", `${markerText.question} `] : [])].map(
    renameFilesFolder,
  );
  return withParent(lines, link);
}

/** Removes links to other branches: they belong to the chat that they were written in. */
function withoutLinks({ lines }: Transcript, end: number): readonly string[] {
  const kept = lines.slice(0, end).filter((line) => markerAt(line)?.name !== "branch");
  return kept.slice(0, lastLine(kept, kept.length));
}

function lastLine(lines: readonly string[], end: number): number {
  return lines.slice(0, end).findLastIndex((line) => !isBlank(line)) + 1;
}

function withParent(lines: readonly string[], link: string): readonly string[] {
  const { header } = parseLines(lines);
  const at = header.range?.end ?? 0;
  const above = header.range === null ? [] : [""];
  const first = lines.findIndex((line, index) => index >= at && !isBlank(line));
  const linked = [...lines.slice(0, at), ...above, link, "", ...lines.slice(Math.max(first, at))];
  const transcript = parseLines(linked);
  return header.entries.some(({ key }) => key === "topic")
    ? applyEdits(linked, setHeaderValue(transcript, "topic", "?"))
    : linked;
}

/** Adds the link to the branch below the exchange that it branches after. */
export function branchLinkEdit(transcript: Transcript, exchange: Exchange, link: string): Edit {
  const at = lastLine(transcript.lines, exchange.answer?.aside?.start ?? exchange.range.end);
  const isNext = markerAt(transcript.lines[at - 1] ?? "")?.name === "branch";
  const isEnd = isBlank(transcript.lines[at] ?? "");
  return { start: at, end: at, lines: [...(isNext ? [] : [""]), link, ...(isEnd ? [] : [""])] };
}
