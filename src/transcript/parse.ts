/**
 * Parses the lines of a chat file into a transcript and its problems: header, questions, answers (`answer.ts`),
 * footnotes, and conflicts that git left (format, section 1).
 */
import { compact } from "../shared/compact.ts";
import { parseAnswer } from "./answer.ts";
import { isBlank } from "./code.ts";
import { parseHeader } from "./header.ts";
import { closingFences } from "./legacy.ts";
import { markerAt, unescapeLine } from "./markers.ts";
import { type Fix, problemAt } from "./problems.ts";
import { dropBranchLinks, referencesIn } from "./references.ts";
import {
  type AnswerSource,
  checkFenceAtEnd,
  checkFenceAtMarker,
  isChoicePrompt,
  noFence,
  trackFence,
} from "./scan-lines.ts";
import type { Exchange, Header, Problem, Question, Reference, Transcript } from "./transcript.ts";

/**
 * The lines without the CR at their ends and the BOM at the top (format, section 1). Lines above `from` are skipped.
 */
function readableLines(lines: readonly string[], from: number): readonly string[] {
  const hasByteOrderMark = from === 0 && (lines[0]?.startsWith("\uFEFF") ?? false);
  if (!hasByteOrderMark && !hasReturns(lines, from)) return lines;
  return lines.map((line, index) => {
    if (index < from) return line;
    const start = index === 0 && hasByteOrderMark ? 1 : 0;
    return line.slice(start, line.endsWith("\r") ? -1 : undefined);
  });
}

function hasReturns(lines: readonly string[], from: number): boolean {
  for (let line = from; line < lines.length; line += 1) {
    if (lines[line]?.endsWith("\r")) return true;
  }
  return false;
}

/** Where a parse begins: at the top of the file, or after the exchanges of an earlier parse that are still valid. */
interface Beginning {
  readonly header: Header;
  readonly exchanges: Exchange[];
  readonly problems: Problem[];
  /** The line where parsing continues. */
  readonly at: number;
}

function firstTurn(lines: readonly string[], from: number, end: number): number {
  for (let line = from; line < end; line += 1) {
    const name = markerAt(lines[line] ?? "")?.name;
    if (name === "question" || name === "answer") return line;
  }
  return end;
}

function beginAtTop(lines: readonly string[]): Beginning {
  const { header, problems } = parseHeader(lines);
  return { header, exchanges: [], problems: [...problems], at: header.range?.end ?? 0 };
}

function commonPrefix(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length += 1;
  return length;
}

/**
 * How many exchanges of the previous parse are still valid for these lines. An exchange depends on its own lines and on
 * the line that ends it, the next `💬:`; one with an unclosed body of the Lua Parley depends on everything below it,
 * because the fence that closes it may appear there.
 */
function countKept(previous: Transcript, lines: readonly string[]): number {
  const same = commonPrefix(previous.lines, lines);
  const unclosed = previous.problems.find((problem) => problem.code === "unclosed-legacy");
  const border = Math.min(same, unclosed?.line ?? same);
  let low = 0;
  let high = Math.max(0, previous.exchanges.length - 1);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const next = previous.exchanges[middle];
    if (next !== undefined && next.range.start < border) low = middle;
    else high = middle - 1;
  }
  return low;
}

function beginAfter(previous: Transcript, lines: readonly string[]): Beginning | null {
  const kept = countKept(previous, lines);
  const next = previous.exchanges[kept];
  if (kept === 0 || next === undefined) return null;
  const at = next.range.start;
  return {
    header: previous.header,
    exchanges: previous.exchanges.slice(0, kept),
    // Conflicts are searched for in the whole text again, since one may span several exchanges.
    problems: previous.problems.filter(({ line, code }) => line < at && code !== "git-conflict"),
    at,
  };
}

/** An answer without a question above it begins an exchange whose question is empty. */
function noQuestion(start: number): QuestionReading {
  return { question: { range: { start, end: start }, text: "", references: [] }, problems: [] };
}

function parseExchange(
  source: AnswerSource,
  place: { readonly index: number; readonly start: number; readonly end: number },
  problems: Problem[],
): Exchange {
  const { lines } = source;
  const { index, start, end } = place;
  const asked = markerAt(lines[start] ?? "")?.name === "question";
  const { question, problems: found } = asked
    ? parseQuestion(lines, start, end)
    : noQuestion(start);
  problems.push(...found);
  const below = question.range.end;
  const answered = below < end && markerAt(lines[below] ?? "")?.name === "answer";
  const reading = answered ? parseAnswer(source, below, end) : null;
  if (reading !== null) for (const problem of reading.problems) problems.push(problem);
  const range = { start, end: reading?.answer.range.end ?? below };
  return { index, range, question, answer: reading?.answer ?? null };
}

function reportOutside(
  lines: readonly string[],
  top: { readonly from: number; readonly to: number },
  footer: number,
): Problem[] {
  const problems: Problem[] = [];
  for (let line = top.from; line < top.to; line += 1) {
    const text = lines[line] ?? "";
    // It names the chat that this one branches from.
    if (isBlank(text) || markerAt(text)?.name === "branch") continue;
    const message =
      "Text above the first question is kept but not sent. To send it, put 💬: in front of it.";
    problems.push(problemAt(line, "text-before-question", message));
    break;
  }
  if (footer < lines.length) {
    const message =
      "The footnotes at the end are kept but not sent; new turns are written above them.";
    problems.push(problemAt(footer, "footnotes", message));
  }
  return problems;
}

function byPlace(a: Problem, b: Problem): number {
  return a.line - b.line || a.column - b.column;
}

/**
 * Parses the lines of a transcript; total and linear. With the `previous` transcript of the same text before a change,
 * exchanges above the change are reused as the same objects; the result is equal either way. `lines` of the result are
 * the given lines, so edits fit the file as it is.
 */
export function parseLines(lines: readonly string[], previous?: Transcript): Transcript {
  const kept = previous === undefined ? null : beginAfter(previous, lines);
  const readable = readableLines(lines, kept?.at ?? 0);
  const { header, exchanges, problems, at } = kept ?? beginAtTop(readable);
  const footer = isOfLuaParley(header) ? findFooter(readable, at) : readable.length;
  let start = firstTurn(readable, at, footer);
  problems.push(...reportOutside(readable, { from: at, to: start }, footer));
  const labels = new Map<string, string>();
  const source = { lines: readable, fileLines: lines, closers: closingFences(readable), labels };
  while (start < footer) {
    const place = { index: exchanges.length, start, end: footer };
    const exchange = parseExchange(source, place, problems);
    exchanges.push(exchange);
    start = exchange.range.end;
  }
  problems.push(...conflictProblems(lines));
  return { lines, header, exchanges, problems: problems.sort(byPlace) };
}

/**
 * Parses the text of a transcript file. As in an editor, the last line end closes the last line and does not begin a
 * new one.
 */
export function parseTranscript(text: string): Transcript {
  const lines = text.split("\n");
  return parseLines(lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines);
}

/** Its chats name their file. In all other chats footnotes belong to the text above them, whoever wrote it. */
const isOfLuaParley = ({ entries }: Header) => entries.some(({ key }) => key === "file");

function isFootnote(line: string): boolean {
  return line.startsWith("[^") && /^\[\^[^\]]+\]:/.test(line);
}

/**
 * First line of the footer of `[^id]:` lines at the very end, including the `---` above it (format, section 1); the
 * number of lines when there is none.
 */
function findFooter(lines: readonly string[], from: number): number {
  let seen = false;
  for (let line = lines.length - 1; line >= from; line -= 1) {
    const text = lines[line] ?? "";
    if (isFootnote(text)) seen = true;
    else if (/^---[ \t]*$/.test(text)) return seen ? line : lines.length;
    else if (!isBlank(text) && !/^[ \t]/.test(text)) return lines.length;
  }
  return lines.length;
}

interface QuestionReading {
  readonly question: Question;
  readonly problems: readonly Problem[];
}

/** Most questions refer to nothing, so they all share one list. */
const none: readonly Reference[] = [];

/**
 * Parses the question whose `💬:` line is `start`. It ends at the next `💬:` or `🤖:`, or at `end`; every other marker
 * except `🌿:` and `🔒:` is text here (format, section 1).
 */
function parseQuestion(lines: readonly string[], start: number, end: number): QuestionReading {
  const text: string[] = [];
  const references: Reference[] = [];
  const problems: Problem[] = [];
  const fence = noFence();
  let hidden = false;
  let at = start;
  for (; at < end; at += 1) {
    const line = lines[at] ?? "";
    const marker = markerAt(line);
    const name = marker?.name;
    if (at > start && (name === "question" || name === "answer")) break;
    if (name === "private") hidden = true;
    if (hidden || name === "branch") continue;
    if (fence.fence === null && isChoicePrompt(line)) continue;
    const content = at === start ? line.slice(marker?.text.length ?? 0) : unescapeLine(line);
    trackFence(fence, content, at);
    text.push(content);
    for (const reference of referencesIn(content, at)) references.push(reference);
  }
  const closed = at < lines.length && markerAt(lines[at] ?? "") !== null;
  const problem = closed
    ? checkFenceAtMarker(fence, lines, at, "question")
    : checkFenceAtEnd(fence, lines, at);
  if (problem !== null) problems.push(problem);
  const range = { start, end: at };
  return {
    question: {
      range,
      text: questionText(text),
      references: references.length === 0 ? none : references,
    },
    problems,
  };
}

/** A one-line text is a substring of its line; a longer one gets its own memory. */
function questionText(lines: readonly string[]): string {
  const first = lines.findIndex((line) => !isBlank(line));
  const isOne = first === lines.findLastIndex((line) => !isBlank(line));
  if (isOne) return dropBranchLinks(lines[first] ?? "").trim();
  return compact(dropBranchLinks(lines.join("\n")).trim());
}

interface Conflict {
  /** The `<<<<<<< ` line. */
  readonly start: number;
  /** First line that does not belong to the upper side: `||||||| ` or `=======`. */
  readonly upperEnd: number;
  /** The `=======` line. */
  readonly middle: number;
  /** The `>>>>>>> ` line. */
  readonly end: number;
}

/** Reports one problem for each conflict, with both sides as fixes. One pass over the lines. */
function conflictProblems(lines: readonly string[]): Problem[] {
  const found = findConflicts(lines);
  const fenced = fencedStarts(lines, found);
  const text = found.length === 0 ? 0 : lines.findIndex((line) => markerAt(line) !== null);
  return found
    .filter((conflict) => !(fenced.has(conflict.start) && isPlain(lines, conflict)))
    .map((conflict) => {
      const message =
        "Git left a conflict here, so nothing of this chat is sent. Choose a side with :Parley fix, which can also keep all of it as text, or edit the lines.";
      return problemAt(conflict.start, "git-conflict", message, [
        ...sides(lines, conflict),
        ...(conflict.start > text && isPlain(lines, conflict) ? [asText(lines, conflict)] : []),
      ]);
    });
}

/** Finds two versions of the same lines, one of which has to be chosen before anything is sent. */
function findConflicts(lines: readonly string[]): Conflict[] {
  const found: Conflict[] = [];
  let start = -1;
  let base = -1;
  let middle = -1;
  for (let line = 0; line < lines.length; line += 1) {
    const text = lines[line] ?? "";
    const first = text.charCodeAt(0);
    // `<`, `=`, `>`, `|`: most lines are none of these.
    if (first !== 0x3c && first !== 0x3d && first !== 0x3e && first !== 0x7c) continue;
    if (/^<{7}(?: |$)/.test(text)) {
      start = line;
      base = -1;
      middle = -1;
    } else if (start >= 0 && middle < 0 && /^\|{7}(?: |$)/.test(text)) {
      base = line;
    } else if (start >= 0 && middle < 0 && /^={7}\r?$/.test(text)) {
      middle = line;
    } else if (middle >= 0 && /^>{7}(?: |$)/.test(text)) {
      found.push({ start, upperEnd: base >= 0 ? base : middle, middle, end: line });
      start = -1;
      middle = -1;
    }
  }
  return found;
}

const isFence = (line: string) => /^ {0,3}(?:`{3,}|~{3,})/.test(line);

/**
 * First lines of the conflicts that begin inside a fence, one opened and not closed since the last marker. One pass.
 */
function fencedStarts(lines: readonly string[], conflicts: readonly Conflict[]): Set<number> {
  const fenced = new Set<number>();
  let isOpen = false;
  let at = 0;
  for (const { start } of conflicts) {
    for (; at < start; at += 1) {
      const line = lines[at] ?? "";
      if (markerAt(line) !== null) isOpen = false;
      else if (isFence(line)) isOpen = !isOpen;
    }
    if (isOpen) fenced.add(start);
  }
  return fenced;
}

/** A conflict that is wholly inside a fence is an example in the text. */
function isPlain(lines: readonly string[], { start, end }: Conflict): boolean {
  for (let line = start; line <= end; line += 1) {
    if (isFence(lines[line] ?? "") || markerAt(lines[line] ?? "") !== null) return false;
  }
  return true;
}

function sides(lines: readonly string[], { start, upperEnd, middle, end }: Conflict): Fix[] {
  const side = (title: string, from: number, to: number): Fix => ({
    title,
    edits: [{ start, end: end + 1, lines: lines.slice(from, to) }],
  });
  const name = (line: number) => (lines[line] ?? "").slice(8, 60).trim();
  const named = (line: number) => (name(line) === "" ? "" : ` (${name(line)})`);
  return [
    side(`Keep the upper side${named(start)}`, start + 1, upperEnd),
    side(`Keep the lower side${named(end)}`, middle + 1, end),
  ];
}

/** A model that explains conflicts writes such lines, too. */
function asText(lines: readonly string[], { start, end }: Conflict): Fix {
  const quoted = ["```", ...lines.slice(start, end + 1), "```"];
  return {
    title: "Keep all lines as text, in a fence",
    edits: [{ start, end: end + 1, lines: quoted }],
  };
}
