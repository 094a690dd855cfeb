/** Converts Python literals and calls to JSON. Supports only what models write as arguments, and evaluates nothing. */
import { jsonNumber } from "../../../transcript/strict-json.ts";

/** A call `name(key=value, …)` and the place after it. */
export interface PythonCall {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  readonly end: number;
}

interface Cursor {
  readonly text: string;
  at: number;
  depth: number;
}

const deepest = 200;

/** The JSON of a text that is one Python literal; otherwise null. */
export function pythonValue(text: string): string | null {
  const cursor: Cursor = { text, at: 0, depth: 0 };
  const json = value(cursor);
  space(cursor);
  return json !== null && cursor.at === text.length ? json : null;
}

/** The calls `[f(a=1), g(b="x")]` that begin at `start`, and the place after the bracket; otherwise null. */
export function pythonCalls(
  text: string,
  start: number,
): { readonly calls: readonly (PythonCall & { start: number })[]; readonly end: number } | null {
  const cursor: Cursor = { text, at: start + 1, depth: 0 };
  const calls: (PythonCall & { start: number })[] = [];
  for (;;) {
    space(cursor);
    const begin = cursor.at;
    const call = pythonCall(text, begin);
    if (call === null) return null;
    calls.push({ ...call, start: begin });
    cursor.at = call.end;
    space(cursor);
    if (take(cursor, "]")) return { calls, end: cursor.at };
    if (!take(cursor, ",")) return null;
  }
}

const callHead = /([A-Za-z_][\w.]*)\(/y;
const keyword = /([A-Za-z_]\w*)\s*=/y;

/** The call that begins at `start`; null unless all of its arguments are named literals. */
export function pythonCall(text: string, start: number): PythonCall | null {
  const head = matchAt(callHead, text, start);
  if (head === null) return null;
  const cursor: Cursor = { text, at: start + head[0].length, depth: 0 };
  const members: string[] = [];
  const keys = new Set<string>();
  for (;;) {
    space(cursor);
    if (take(cursor, ")")) break;
    const key = matchAt(keyword, text, cursor.at);
    if (key?.[1] === undefined || keys.has(key[1])) return null;
    keys.add(key[1]);
    cursor.at += key[0].length;
    const json = value(cursor);
    if (json === null) return null;
    members.push(`${JSON.stringify(key[1])}:${json}`);
    space(cursor);
    if (!take(cursor, ",") && cursor.text[cursor.at] !== ")") return null;
  }
  return { name: head[1] ?? "", arguments: `{${members.join(",")}}`, end: cursor.at };
}

const words = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
]);
const number = new RegExp(`${jsonNumber}(?![\\w.])`, "y");
const word = /[A-Za-z]+/y;

function value(cursor: Cursor): string | null {
  space(cursor);
  const character = cursor.text.charAt(cursor.at);
  if (character === "'" || character === '"') return string(cursor, character);
  if (character === "{" || character === "[" || character === "(") return container(cursor);
  const found = matchAt(number, cursor.text, cursor.at);
  if (found) {
    cursor.at += found[0].length;
    return found[0];
  }
  const name = matchAt(word, cursor.text, cursor.at)?.[0] ?? "";
  cursor.at += name.length;
  return words.get(name) ?? null;
}

function container(cursor: Cursor): string | null {
  const isDictionary = cursor.text[cursor.at] === "{";
  const close = { "{": "}", "[": "]", "(": ")" }[cursor.text.charAt(cursor.at)] ?? "";
  cursor.at += 1;
  cursor.depth += 1;
  const parts: string[] = [];
  while (cursor.depth <= deepest) {
    space(cursor);
    if (take(cursor, close)) {
      cursor.depth -= 1;
      return isDictionary ? `{${parts.join(",")}}` : `[${parts.join(",")}]`;
    }
    const part = isDictionary ? entry(cursor) : value(cursor);
    if (part === null) return null;
    parts.push(part);
    space(cursor);
    if (!take(cursor, ",") && cursor.text[cursor.at] !== close) return null;
  }
  return null;
}

function entry(cursor: Cursor): string | null {
  const key = value(cursor);
  space(cursor);
  if (!key?.startsWith('"') || !take(cursor, ":")) return null;
  const content = value(cursor);
  return content === null ? null : `${key}:${content}`;
}

const escapes = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ["'", "'"],
  ['"', '"'],
  ["\\", "\\"],
  ["/", "\\/"],
]);
const hexadecimal = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/y;

/** As in Python, an unknown escape keeps its backslash. */
function string(cursor: Cursor, quote: string): string | null {
  const { text } = cursor;
  const parts: string[] = [];
  let from = cursor.at + 1;
  let at = from;
  while (at < text.length && text[at] !== quote) {
    if (text[at] !== "\\") {
      at += 1;
      continue;
    }
    parts.push(text.slice(from, at));
    const hex = matchAt(hexadecimal, text, at);
    const code = hex?.[1] ?? hex?.[2];
    const next = text.charAt(at + 1);
    parts.push(
      code === undefined
        ? (escapes.get(next) ?? `\\${next}`)
        : String.fromCharCode(Number.parseInt(code, 16)),
    );
    at += hex?.[0].length ?? 2;
    from = at;
  }
  if (at >= text.length) return null;
  parts.push(text.slice(from, at));
  cursor.at = at + 1;
  return JSON.stringify(parts.join(""));
}

function space(cursor: Cursor): void {
  while (" \t\n\r".includes(cursor.text.charAt(cursor.at)) && cursor.at < cursor.text.length) {
    cursor.at += 1;
  }
}

function take(cursor: Cursor, character: string): boolean {
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
