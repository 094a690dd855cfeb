/** Strict JSON: what `JSON.parse` accepts, except objects that repeat a key (format, section 4). */
import { messageOf } from "../shared/json.ts";

export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string; readonly repeatsKey: boolean };

const quote = 0x22;
const backslash = 0x5c;

function isHexDigit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x66);
}

/** Column after the escape that begins at `start`, or -1. */
function skipEscape(json: string, start: number): number {
  const letter = json.charAt(start + 1);
  if (letter !== "u") return letter !== "" && '"\\/bfnrt'.includes(letter) ? start + 2 : -1;
  for (let index = start + 2; index < start + 6; index += 1) {
    if (!isHexDigit(json.charCodeAt(index))) return -1;
  }
  return start + 6;
}

/** Column after the string that begins at `start`, or -1. */
function skipString(json: string, start: number): number {
  let index = start + 1;
  while (index >= 0 && index < json.length) {
    const unit = json.charCodeAt(index);
    if (unit === quote) return index + 1;
    if (unit < 0x20) return -1;
    index = unit === backslash ? skipEscape(json, index) : index + 1;
  }
  return -1;
}

/** The source of a regular expression for a number of JSON. */
export const jsonNumber = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?";
/** The same for everything but texts, arrays and objects. */
export const jsonScalar = `${jsonNumber}|true|false|null`;

const scalar = new RegExp(jsonScalar, "y");

/** Column after the number or word that begins at `start`, or -1. */
function skipScalar(json: string, start: number): number {
  scalar.lastIndex = start;
  return scalar.test(json) ? scalar.lastIndex : -1;
}

/** Column of the first character at or after `start` that is no space of JSON. */
export function skipSpace(json: string, start: number): number {
  let index = start;
  while (index < json.length && " \t\n\r".includes(json.charAt(index))) index += 1;
  return index;
}

function decodeKey(literal: string): string {
  return literal.includes("\\") ? String(JSON.parse(literal)) : literal.slice(1, -1);
}

/** What may come next. `end` is for after the whole value. */
type Expected = "value" | "item-or-close" | "key" | "key-or-close" | "comma-or-close" | "end";

/** The keys of an open object, or null for an open array. */
type Open = Set<string> | null;

interface Scan {
  readonly json: string;
  readonly open: Open[];
  at: number;
  expected: Expected;
  repeated: string | null;
}

function afterValue(scan: Scan): void {
  scan.expected = scan.open.length === 0 ? "end" : "comma-or-close";
}

function close(scan: Scan, character: string): boolean {
  const { expected, open } = scan;
  const isObject = open.at(-1) instanceof Set;
  const isFirst = expected === (isObject ? "key-or-close" : "item-or-close");
  if (open.length === 0 || character !== (isObject ? "}" : "]")) return false;
  if (expected !== "comma-or-close" && !isFirst) return false;
  open.pop();
  scan.at += 1;
  afterValue(scan);
  return true;
}

function scanKey(scan: Scan): boolean {
  const end = scan.json.charCodeAt(scan.at) === quote ? skipString(scan.json, scan.at) : -1;
  const colon = skipSpace(scan.json, end);
  if (end < 0 || scan.json.charAt(colon) !== ":") return false;
  const key = decodeKey(scan.json.slice(scan.at, end));
  const keys = scan.open.at(-1);
  if (keys?.has(key)) scan.repeated ??= key;
  keys?.add(key);
  scan.at = colon + 1;
  scan.expected = "value";
  return true;
}

function scanValue(scan: Scan, character: string): boolean {
  if (character === "{" || character === "[") {
    scan.open.push(character === "{" ? new Set() : null);
    scan.expected = character === "{" ? "key-or-close" : "item-or-close";
    scan.at += 1;
    return true;
  }
  scan.at = character === '"' ? skipString(scan.json, scan.at) : skipScalar(scan.json, scan.at);
  afterValue(scan);
  return scan.at >= 0;
}

function scanToken(scan: Scan): boolean {
  const character = scan.json.charAt(scan.at);
  if (character === "}" || character === "]") return close(scan, character);
  switch (scan.expected) {
    case "comma-or-close":
      scan.at += 1;
      scan.expected = scan.open.at(-1) instanceof Set ? "key" : "value";
      return character === ",";
    case "key":
    case "key-or-close":
      return scanKey(scan);
    case "value":
    case "item-or-close":
      return scanValue(scan, character);
    case "end":
      return false;
  }
}

/** Reads tokens until the end of the text; false: the token at `at` is not allowed there. */
function scanAll(scan: Scan): boolean {
  while (scan.at < scan.json.length) {
    const start = scan.at;
    if (!scanToken(scan)) {
      scan.at = start;
      return false;
    }
    scan.at = skipSpace(scan.json, scan.at);
  }
  return scan.expected === "end";
}

function beginScan(json: string): Scan {
  return { json, open: [], at: skipSpace(json, 0), expected: "value", repeated: null };
}

/**
 * Parses JSON. A repeated key at any depth makes it unreadable, because `JSON.parse` would silently keep the last one
 * where a reader of the line sees the first. Never throws, uses no stack for depth, and creates no exception for text
 * that is not JSON, which would cost more than the parsing.
 */
export function readJson(json: string): JsonReading {
  const scan = beginScan(json);
  if (!scanAll(scan)) return notJson;
  if (scan.repeated === null) return { ok: true, value: JSON.parse(json) };
  const key = JSON.stringify(scan.repeated.slice(0, 80));
  return { ok: false, reason: `it repeats the key ${key}`, repeatsKey: true };
}

const notJson: JsonReading = {
  ok: false,
  reason: "it is not readable JSON",
  repeatsKey: false,
};

/** How the parser's messages end: with a position, or the text around it. */
const itsPlace = /(?: in JSON)? at position (\d+)(?: \(line \d+ column \d+\))?$/;
const itsExcerpt = /^(Unexpected token '(.+?)'), .* is not valid JSON$/su;

/** Why `JSON.parse` rejects a text, and where, for its author; without a full stop. */
export function syntaxMistake(json: string): string {
  try {
    JSON.parse(json);
    return "it is not readable";
  } catch (error) {
    const said = messageOf(error);
    const [, unexpected, token = ""] = itsExcerpt.exec(said) ?? [];
    const position = itsPlace.exec(said)?.[1];
    const at = position === undefined ? mistakeAt(json, token) : Number(position);
    const { line, column } = placeOf(json, at);
    const reason = (unexpected ?? said.replace(itsPlace, "")).slice(0, 200).replace(/\.$/, "");
    const inJson = reason.includes("JSON") ? "" : " in JSON";
    return `${reason}${inJson} at line ${line}, column ${column}`;
  }
}

/**
 * The position when the parser gives none: that of its unexpected token, at or inside the token where our scan stopped.
 */
function mistakeAt(json: string, token: string): number {
  const scan = beginScan(json);
  scanAll(scan);
  const found = token === "" ? -1 : json.indexOf(token, scan.at);
  return found < 0 ? json.length : found;
}

/** Both are one-based. */
function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
