/** Edits of the header, one key at a time, and of the question that is not asked yet. */
import { isYamlHeader, readHeaderValue, renderHeaderValue } from "../header.ts";
import { escapeLine, markerAt, oneLine, toLineFeeds } from "../markers.ts";
import type { Edit, Exchange, HeaderEntry, Transcript } from "../transcript.ts";
import { gapAbove, gapBelow, questionLine, skipBlanksUp } from "./layout.ts";

const byteOrderMark = "\uFEFF";

function newHeader(transcript: Transcript, entry: string): Edit {
  const lines = ["---", entry, "---", ""];
  const first = transcript.lines[0] ?? "";
  // The byte order mark belongs to the file, not to the line that happens to be the first.
  if (!first.startsWith(byteOrderMark)) return { start: 0, end: 0, lines };
  return { start: 0, end: 1, lines: [`${byteOrderMark}---`, ...lines.slice(1), first.slice(1)] };
}

/** The lines of an entry with another value; keeps the spelling of the key, and the comment after a one-line value. */
function withValue(transcript: Transcript, entry: HeaderEntry, value: string, isYaml: boolean) {
  const { line: start, end } = entry;
  const line = transcript.lines[start] ?? "";
  const head = line.slice(0, line.indexOf(":") + 1);
  const inline = line.slice(head.length).trim();
  const tail = isYaml && end === start + 1 ? readHeaderValue(inline, []).tail : "";
  const written = isYaml ? renderHeaderValue(value, tail) : value;
  const lineEnd = line.endsWith("\r") ? "\r" : "";
  return { start, end, lines: [`${head} ${written}${tail}`.trimEnd() + lineEnd] };
}

function findEntry(transcript: Transcript, key: string): HeaderEntry | undefined {
  return transcript.header.entries.findLast((entry) => entry.key === key && !entry.append);
}

/**
 * Sets a value of the header, and writes a header when there is none. The value becomes one line without control
 * characters (format, section 3).
 */
export function setHeaderValue(transcript: Transcript, key: string, value: string): Edit[] {
  const safe = oneLine(value);
  const { range } = transcript.header;
  if (range === null) return [newHeader(transcript, `${key}: ${renderHeaderValue(safe, "")}`)];
  const isYaml = isYamlHeader(transcript.lines, range);
  const entry = findEntry(transcript, key);
  if (entry !== undefined) return [withValue(transcript, entry, safe, isYaml)];
  const isOlder = /^\uFEFF?#/.test(transcript.lines[0] ?? "");
  const line = `${isOlder ? "- " : ""}${key}: ${isYaml ? renderHeaderValue(safe, "") : safe}`;
  return [{ start: range.end - 1, end: range.end - 1, lines: [line] }];
}

/** Removes the lines of these keys from the header. */
export function removeHeaderKeys({ header }: Transcript, keys: readonly string[]): Edit[] {
  return header.entries
    .filter(({ key }) => keys.includes(key))
    .map(({ line, end }) => ({ start: line, end, lines: [] }));
}

/**
 * Writes text into the question of the exchange, below its existing text; into a new question at the end when the
 * exchange has an answer. References in the text count as references.
 */
export function insertQuestion(
  transcript: Transcript,
  exchange: Exchange | null,
  text: string,
): Edit {
  const lines = toLineFeeds(text).split("\n");
  const [first = "", ...rest] = lines;
  const question = [`${questionLine}${first}`, ...rest.map(escapeLine)];
  if (exchange === null || exchange.answer !== null) {
    const end = transcript.exchanges.at(-1)?.range.end ?? transcript.lines.length;
    const at = skipBlanksUp(transcript.lines, end, transcript.header.range?.end ?? 0);
    const gap = gapAbove(transcript.lines, at);
    return { start: at, end: at, lines: [...gap, ...question, ...gapBelow(transcript.lines, at)] };
  }
  const { start } = exchange.question.range;
  if (exchange.question.text === "") return { start, end: start + 1, lines: question };
  const end = skipBlanksUp(transcript.lines, shownEnd(transcript, exchange), start + 1);
  const gap = gapBelow(transcript.lines, end);
  return { start: end, end, lines: ["", ...lines.map(escapeLine), ...gap] };
}

/** Text below a `🔒:` is not sent. */
function shownEnd({ lines }: Transcript, { question }: Exchange): number {
  const { start, end } = question.range;
  for (let at = start + 1; at < end; at += 1) {
    if (markerAt(lines[at] ?? "")?.name === "private") return at;
  }
  return end;
}
