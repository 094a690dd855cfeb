/** Parses the header of a chat: front matter as YAML, key by key, and the older forms (format, section 3). */

import { isAlias, isMap, isScalar, isSeq, type ParsedNode, parseDocument, Scalar } from "yaml";
import { withoutEnd } from "../shared/without-end.ts";
import { isBlank } from "./code.ts";
import { markerAt } from "./markers.ts";
import { problemAt } from "./problems.ts";
import type { Header, HeaderEntry, LineRange, Problem } from "./transcript.ts";

const separator = /^---[ \t]*$/;

function isSeparator(line: string): boolean {
  return separator.test(line);
}

/** `# topic: …`, the first line of the older form (format, section 3). */
function isOlderTopic(line: string): boolean {
  return /^#[ \t]+topic[ \t]*:/.test(line);
}

const keyPattern = /^(?:[-#][ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)(\+?)[ \t]*:(.*)$/s;

interface KeyLine {
  readonly key: string;
  readonly append: boolean;
  /** The text after the colon. */
  readonly inline: string;
}

function readKeyLine(text: string): KeyLine | null {
  const match = keyPattern.exec(text);
  const key = match?.[1];
  if (match === null || key === undefined) return null;
  return { key, append: match[2] === "+", inline: match[3] ?? "" };
}

/** The line of the closing `---`, or null when a turn or, in the older form, other text comes first. */
function findEnd(lines: readonly string[], older: boolean): number | null {
  for (let line = 1; line < lines.length; line += 1) {
    const text = lines[line] ?? "";
    if (isSeparator(text)) return line;
    const name = markerAt(text)?.name;
    if (name === "question" || name === "answer") return null;
    if (older && !isBlank(text) && readKeyLine(text) === null) return null;
  }
  return null;
}

/** Detects the Lua Parley's header: it always names its file, and each of its lines is a key with a verbatim value. */
function isLuaParley(lines: readonly string[], start: number, end: number): boolean {
  let hasFile = false;
  for (let line = start; line < end; line += 1) {
    const text = lines[line] ?? "";
    if (isBlank(text)) continue;
    const key = readKeyLine(text);
    if (key === null) return false;
    hasFile ||= key.key === "file";
  }
  return hasFile;
}

function isList(text: string): boolean {
  return /^[ \t]*-(?:[ \t]|$)/.test(text);
}

/** First line after the value that begins after the colon of `line`. */
function valueEnd(lines: readonly string[], line: number, end: number, inline: string): number {
  const mayBeList = /^[ \t]*(?:#.*)?$/.test(inline);
  let last = line;
  for (let at = line + 1; at < end; at += 1) {
    const text = lines[at] ?? "";
    if (isBlank(text) || text.startsWith("#")) continue;
    const isBelow = /^[ \t\]}]/.test(text) || (mayBeList && isList(text));
    if (!isBelow) break;
    last = at;
  }
  return last + 1;
}

/** The place of a key and of its value. */
interface ValuePlace {
  readonly line: number;
  readonly end: number;
  readonly isYaml: boolean;
}

/** Reads the entry whose key is at `line`; null when there is none. */
function readEntry(
  lines: readonly string[],
  { line, end, isYaml }: ValuePlace,
): HeaderEntry | null {
  const text = lines[line] ?? "";
  const found = isYaml && text.startsWith("#") ? null : readKeyLine(text);
  if (found === null) return null;
  const { key, append, inline } = found;
  const after = isYaml ? valueEnd(lines, line, end, inline) : line + 1;
  const { value, form, reason } = isYaml
    ? readHeaderValue(inline.trim(), lines.slice(line + 1, after))
    : { value: inline.trim(), form: "literal" as const, reason: null };
  return { key, value, append, form, reason, line, end: after };
}

/** `end` is the first line that was not read: the end of the header, or the first line beyond the size limit. */
function readEntries(
  lines: readonly string[],
  start: number,
  { end, isYaml }: Pick<ValuePlace, "end" | "isYaml">,
): { readonly entries: readonly HeaderEntry[]; readonly end: number } {
  const entries: HeaderEntry[] = [];
  let line = start;
  let size = 0;
  while (line < end) {
    const entry = readEntry(lines, { line, end, isYaml });
    const next = entry?.end ?? line + 1;
    for (let at = line; at < next; at += 1) size += (lines[at]?.length ?? 0) + 1;
    if (size > longestHeader) break;
    if (entry !== null) entries.push(entry);
    line = next;
  }
  return { entries, end: line };
}

/** Reports text of a YAML header that belongs to no key. */
function strayLines(
  lines: readonly string[],
  { start, end }: LineRange,
  entries: readonly HeaderEntry[],
): Problem[] {
  const read = new Set(
    entries.flatMap((entry) =>
      Array.from({ length: entry.end - entry.line }, (_, index) => entry.line + index),
    ),
  );
  const problems: Problem[] = [];
  for (let line = start; line < end; line += 1) {
    const text = lines[line] ?? "";
    if (read.has(line) || isBlank(text) || text.startsWith("#")) continue;
    const message =
      "This line of the header has no key; it is kept but not used. Write key: value.";
    problems.push(problemAt(line, "unusable-header-value", message));
  }
  return problems;
}

export interface HeaderReading {
  readonly header: Header;
  readonly problems: readonly Problem[];
}

const noHeader: Header = { range: null, entries: [] };

/** Parses the header in either form (format, section 3). The meaning of its values is judged elsewhere. */
export function parseHeader(lines: readonly string[]): HeaderReading {
  const first = lines[0] ?? "";
  const older = isOlderTopic(first);
  if (!older && !isSeparator(first)) return { header: noHeader, problems: [] };
  const end = findEnd(lines, older);
  if (end !== null) {
    const start = older ? 0 : 1;
    const isYaml = !older && !isLuaParley(lines, start, end);
    const { entries, end: read } = readEntries(lines, start, { end, isYaml });
    const problems = isYaml ? strayLines(lines, { start, end: read }, entries) : [];
    if (read < end) problems.push(problemAt(read, "unusable-header-value", tooLong));
    return { header: { range: { start: 0, end: end + 1 }, entries }, problems };
  }
  const message =
    'The header at the top has no closing "---" line, so its settings are not used; add one below them.';
  return { header: noHeader, problems: [problemAt(0, "unclosed-header", message)] };
}

/** Whether values written into this header are YAML; in the older forms they are verbatim. */
export function isYamlHeader(lines: readonly string[], range: LineRange): boolean {
  const isOlder = isOlderTopic((lines[0] ?? "").replace(/^\uFEFF/, ""));
  return !isOlder && !isLuaParley(lines, range.start + 1, range.end - 1);
}

export interface HeaderValue extends Pick<HeaderEntry, "value" | "form" | "reason"> {
  /** What follows the value on its last line: white space and a comment. */
  readonly tail: string;
}

/** Limit in characters for a value. The parser's time is linear, but its factor hurts beyond this. */
const longest = 65_536;
/** Limit for a header, which is put to the user and shown as a whole, and may come from anywhere. */
const longestHeader = 2 * longest;
const tooLong = `The header is longer than ${longestHeader} characters, so from this line on it is kept but not used.`;
/** A header holds flat values. The parser is recursive, and a stack overflow would end the process. */
const deepest = 20;

/** Reads a value; `inline` is the text after the colon, `below` the further lines of the value. */
export function readHeaderValue(inline: string, below: readonly string[]): HeaderValue {
  const refused = refusal(inline, below);
  const read = refused === null ? readYaml(inline, below) : refused;
  if (typeof read !== "string") return read;
  if (below.length > 0) return { value: "", form: "unreadable", tail: "", reason: read };
  // Only these characters begin something meant as YAML; a colon or a star is plain text.
  const isMeant = /^[ \t]*["'[{|>]/.test(inline);
  return { value: inline.trim(), form: "literal", tail: "", reason: isMeant ? read : null };
}

/** Renders a value so that every YAML reader reads it back unchanged, on one line. */
export function renderHeaderValue(value: string, tail: string): string {
  const plain = readHeaderValue(` ${value}${tail}`, []);
  if (plain.value === value && plain.form === "plain" && plain.tail === tail) return value;
  return JSON.stringify(value);
}

function refusal(inline: string, below: readonly string[]): string | null {
  const length = below.reduce((sum, line) => sum + line.length + 1, inline.length);
  if (length > longest) return `it is longer than ${longest} characters`;
  const lines = [inline, ...below];
  const opened = lines.reduce((sum, line) => sum + (line.match(/[[{]/g)?.length ?? 0), 0);
  const isFlow = /^[ \t]*[[{]/.test(inline) || /^[ \t]*$/.test(inline);
  const isNested = lines.some((line) => /^[ \t]*(?:[-?:][ \t]+){3}/.test(line));
  if (isNested || (isFlow && opened > deepest)) return "it is nested too deeply";
  return null;
}

/** Returns a sentence when the value cannot be read. */
function readYaml(inline: string, below: readonly string[]): HeaderValue | string {
  const text = [`k:${inline === "" ? "" : ` ${inline}`}`, ...below].join("\n");
  const document = parseDocument<ParsedNode>(text, {
    // All scalars are texts; each setting decides what they mean.
    schema: "failsafe",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const [error] = document.errors;
  if (error !== undefined) return lowerFirst(error.message);
  const pairs = isMap(document.contents) ? document.contents.items : [];
  const node = pairs[0]?.value ?? null;
  if (pairs.length !== 1 || node === null) return "it is more than one value";
  if (isSeq(node)) return readList(node.items);
  if (isMap(node)) return "it is a table, not a text or a list";
  return readScalar(node, text);
}

function readScalar(node: ParsedNode, text: string): HeaderValue | string {
  if (isAlias(node)) return "aliases are not followed";
  if (!isScalar(node) || typeof node.value !== "string") return "it is not a text";
  if (node.tag !== undefined || node.anchor !== undefined) return "tags and anchors are not read";
  const [, end] = node.range;
  const tail = /^[^\n]*/.exec(text.slice(end))?.[0] ?? "";
  const form = forms[node.type ?? Scalar.PLAIN] ?? "plain";
  // The line ends after a block are not part of the value.
  if (form === "block")
    return { value: withoutEnd(node.value, "\n"), form, tail: "", reason: null };
  return { value: node.value, form, tail, reason: null };
}

const forms: Readonly<Record<string, "plain" | "quoted" | "block">> = {
  [Scalar.PLAIN]: "plain",
  [Scalar.QUOTE_DOUBLE]: "quoted",
  [Scalar.QUOTE_SINGLE]: "quoted",
  [Scalar.BLOCK_LITERAL]: "block",
  [Scalar.BLOCK_FOLDED]: "block",
};

function readList(items: readonly unknown[]): HeaderValue | string {
  const texts: string[] = [];
  for (const item of items) {
    if (!isScalar(item) || typeof item.value !== "string" || item.tag !== undefined) {
      return "its list holds something other than texts";
    }
    texts.push(item.value);
  }
  return { value: texts.join(", "), form: "list", tail: "", reason: null };
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
