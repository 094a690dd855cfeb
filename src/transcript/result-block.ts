/** Parses and renders result blocks (`🛠️:`) (format, section 5). */
import { isMediaType, unknownMediaType } from "../shared/media-type.ts";
import { closesFence, fenceFor, isBlank, openingFence, readSpan, renderSpan } from "./code.ts";
import { escapeLine, markerAt, markerText, toLineFeeds, unescapeLine } from "./markers.ts";
import type { Attachment, LineRange, ResultBlock, ResultStatus } from "./transcript.ts";

/** The content of a result block, before it has a place in a file. */
export type ResultInput = Omit<ResultBlock, "range">;

/** Encodes a name or an id for the brackets: `%XX` per UTF-8 byte outside `A-Za-z0-9_.:/-`. */
export function encodeToken(token: string): string {
  return token.replace(/[^A-Za-z0-9_.:/-]+/g, (run) =>
    Array.from(
      new TextEncoder().encode(run),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    ).join(""),
  );
}

export function decodeToken(token: string): string {
  return token.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    const bytes = run.split("%").slice(1);
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return decoder.decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
  });
}

/** A name inside the files folder: no path, no link, nothing hidden. */
export function isPlainFileName(name: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/.test(name);
}

function plainFileName(name: string): string {
  if (isPlainFileName(name)) return name;
  throw new RangeError(
    `A file named ${JSON.stringify(name)} cannot be linked from a result; use letters, digits, ".", "_" and "-" only.`,
  );
}

function renderAttachment({ mime, file }: Attachment): string {
  // The type comes from a server; a type that the format cannot hold must not lose the attachment.
  const known = isMediaType(mime) ? mime : unknownMediaType;
  return `![${known}](${plainFileName(file)})`;
}

function renderBody(text: string): string[] {
  if (text !== "" && !text.includes("\n")) return [renderSpan(text)];
  const fence = fenceFor(text);
  return text === "" ? [fence, fence] : [fence, ...text.split("\n").map(escapeLine), fence];
}

/**
 * Renders the lines of a result: head, blank line, body. Escapes the text. Throws a RangeError when a file is not a
 * plain name.
 */
export function renderResult(result: ResultInput): string[] {
  const head = [
    `${markerText.result} [${encodeToken(result.name)}][${encodeToken(result.callId)}]`,
    ...(result.status === "ok" ? [] : [`(${result.status})`]),
    ...result.attachments.map(renderAttachment),
    ...(result.fullText === null ? [] : [`[full text](${plainFileName(result.fullText)})`]),
  ];
  return [head.join(" "), "", ...renderBody(toLineFeeds(result.text))];
}

interface ResultHead extends Omit<ResultInput, "text"> {
  /** Why the head breaks the format; null when it does not. Whatever could be read was read. */
  readonly malformed: string | null;
}

const statuses: readonly string[] = [
  "error",
  "declined",
  "cancelled",
  "timeout",
] satisfies ResultStatus[];

function isStatus(word: string): word is ResultStatus {
  return statuses.includes(word);
}

const headPattern = /^[ \t]*\[([^\][]*)\](?:[ \t]*\[([^\][]*)\])?[ \t]*(?:\(([a-z]+)\))?(.*)$/s;
const linkPattern = /^[ \t]*(?:!\[([^\][]*)\]|\[full text\])\(([^()]*)\)/;

interface Links {
  readonly attachments: Attachment[];
  fullText: string | null;
}

/** Reads links until something else follows; returns whether the whole text was understood. */
function readLinks(text: string, links: Links): boolean {
  let rest = text;
  while (!isBlank(rest)) {
    const match = linkPattern.exec(rest);
    const mime = match?.[1];
    const file = match?.[2];
    if (match === null || file === undefined || !isPlainFileName(file)) return false;
    if (links.fullText !== null) return false;
    if (mime === undefined) links.fullText = file;
    else if (isMediaType(mime)) links.attachments.push({ mime, file });
    else return false;
    rest = rest.slice(match[0].length);
  }
  return true;
}

/** Parses a `🛠️:` line; null when it is not one: another marker, or no `[` after it. */
function parseResultHead(line: string): ResultHead | null {
  const marker = markerAt(line);
  if (marker?.name !== "result") return null;
  const rest = line.slice(marker.text.length);
  if (!/^[ \t]*\[/.test(rest)) return null;
  const match = headPattern.exec(rest);
  const links: Links = { attachments: [], fullText: null };
  const word = match?.[3];
  const status = word !== undefined && isStatus(word) ? word : "ok";
  const understood = readLinks(match?.[4] ?? "", links);
  let malformed: string | null = null;
  if (match?.[1] === undefined || match[2] === undefined) malformed = "needs [tool name][call id]";
  else if (word !== undefined && status === "ok") malformed = `has an unknown status (${word})`;
  else if (!understood) malformed = "has something unknown after its id and status";
  const name = decodeToken(match?.[1] ?? "");
  return { name, callId: decodeToken(match?.[2] ?? ""), status, ...links, malformed };
}

interface ResultBody {
  readonly text: string;
  /** First line after the body. */
  readonly end: number;
  /** The line that opened a fence that nothing closes; else null. */
  readonly openFence: number | null;
  /** Text that looks like the body but has no backticks around it; else null. */
  readonly bare?: LineRange | null;
}

function readFenced(lines: readonly string[], opener: number, end: number): ResultBody {
  const fence = openingFence(lines[opener] ?? "");
  const text: string[] = [];
  let at = opener + 1;
  for (; at < end; at += 1) {
    const line = lines[at] ?? "";
    if (fence !== null && closesFence(line, fence)) {
      return { text: text.join("\n"), end: at + 1, openFence: null };
    }
    if (markerAt(line) !== null) break;
    text.push(unescapeLine(line));
  }
  // It is unknown which of the blank lines below were meant; those of the layout were not.
  const length = text.findLastIndex((line) => !isBlank(line)) + 1;
  const body = text.slice(0, length).join("\n");
  return { text: body, end: opener + 1 + length, openFence: opener };
}

function readUnfenced(lines: readonly string[], start: number, end: number): ResultBody {
  let at = start;
  const text: string[] = [];
  for (; at < end; at += 1) {
    const line = lines[at] ?? "";
    if (isBlank(line) || markerAt(line) !== null) break;
    text.push(unescapeLine(line));
  }
  return { text: text.join("\n"), end: at, openFence: null };
}

/** The text of a line that is nothing but one code span, or null. */
function readSpanLine(line: string): string | null {
  const span = readSpan(line, 0);
  return span !== null && isBlank(line.slice(span.end)) ? span.text : null;
}

/** The paragraph at `start`; null when none begins there. */
function bareText(lines: readonly string[], start: number, end: number): LineRange | null {
  const { end: last } = readUnfenced(lines, start, end);
  return last === start ? null : { start, end: last };
}

/** The body below the head at `head`, within lines up to `end` (format, section 5). */
function readBody(lines: readonly string[], head: number, end: number): ResultBody {
  const below = head + 1;
  const spaced = below < end && isBlank(lines[below] ?? "");
  const start = spaced ? below + 1 : below;
  const first = start < end ? (lines[start] ?? "") : "";
  const span = readSpanLine(first);
  if (span !== null) return { text: span, end: start + 1, openFence: null };
  if (first.startsWith("```") && openingFence(first) !== null) return readFenced(lines, start, end);
  if (spaced) return { text: "", end: below, openFence: null, bare: bareText(lines, start, end) };
  return readUnfenced(lines, start, end);
}

export interface ResultReading {
  readonly block: ResultBlock;
  readonly malformed: string | null;
  readonly openFence: number | null;
  /** Text below the head that looks like the body but has no backticks around it. */
  readonly bare: LineRange | null;
}

/** Parses the result whose head is at `line`; null when there is none. `end` bounds the search. */
export function parseResult(
  lines: readonly string[],
  line: number,
  end = lines.length,
): ResultReading | null {
  const head = parseResultHead(lines[line] ?? "");
  if (head === null) return null;
  const { malformed, ...input } = head;
  const body = readBody(lines, line, end);
  const range = { start: line, end: body.end };
  return {
    block: { range, ...input, text: body.text },
    malformed,
    openFence: body.openFence,
    bare: body.bare ?? null,
  };
}
