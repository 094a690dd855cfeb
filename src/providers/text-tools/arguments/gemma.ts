/** Reads Gemma's own notation: `call:NAME{key:<|"|>text<|"|>,count:3}`. */

import { jsonScalar, skipSpace } from "../../../transcript/strict-json.ts";
import type { Reading } from "./known-tools.ts";

const quote = '<|"|>';
const head = /^\s*call:([\w.:/-]{1,128})\s*(?=\{)/;
const key = /(?:([\w.-]{1,128})|<\|"\|>([^<]{1,128})<\|"\|>)\s*:/y;
const scalar = new RegExp(jsonScalar, "y");
const deepest = 200;

export function readGemma(body: string): Reading | null {
  const match = head.exec(body);
  const name = match?.[1];
  if (match === null || name === undefined) return null;
  const object = readValue(body, match[0].length, 0);
  if (object === null || body.slice(object.end).trim() !== "") {
    return { reason: "its arguments cannot be read", name };
  }
  return { calls: [{ name, arguments: object.json, start: 0 }] };
}

interface Value {
  readonly json: string;
  readonly end: number;
}

function readValue(text: string, start: number, depth: number): Value | null {
  const at = skipSpace(text, start);
  if (depth > deepest) return null;
  if (text.startsWith(quote, at)) {
    const end = text.indexOf(quote, at + quote.length);
    if (end < 0) return null;
    return { json: JSON.stringify(text.slice(at + quote.length, end)), end: end + quote.length };
  }
  if (text[at] === "{" || text[at] === "[") return readContainer(text, at, depth);
  scalar.lastIndex = at;
  const found = scalar.exec(text)?.[0];
  return found === undefined ? null : { json: found, end: at + found.length };
}

function readContainer(text: string, start: number, depth: number): Value | null {
  const isObject = text[start] === "{";
  const close = isObject ? "}" : "]";
  const parts: string[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== close) {
    key.lastIndex = at;
    const name = isObject ? key.exec(text) : null;
    if (isObject && name === null) return null;
    const value = readValue(text, at + (name?.[0].length ?? 0), depth + 1);
    if (value === null) return null;
    const label = name ? `${JSON.stringify(name[1] ?? name[2] ?? "")}:` : "";
    parts.push(label + value.json);
    at = skipSpace(text, value.end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
    else if (text[at] !== close) return null;
  }
  const content = parts.join(",");
  return { json: isObject ? `{${content}}` : `[${content}]`, end: at + 1 };
}
