/** Finds the parts of a JSON text, so that a call's arguments keep the model's own characters. */
import { skipSpace } from "../../../transcript/strict-json.ts";

export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

export interface Member extends JsonSpan {
  readonly key: string;
}

/** The members of the object at `start` in valid JSON; their `start` and `end` are those of the values. */
export function membersOf(json: string, start: number): readonly Member[] {
  const members: Member[] = [];
  let at = skipSpace(json, start + 1);
  while (json[at] === '"') {
    const keyEnd = skipString(json, at);
    const valueStart = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = skipValue(json, valueStart);
    members.push({ key: String(JSON.parse(json.slice(at, keyEnd))), start: valueStart, end });
    at = nextPart(json, end);
  }
  return members;
}

/** The items of the array at `start` in valid JSON. */
export function itemsOf(json: string, start: number): readonly JsonSpan[] {
  const items: JsonSpan[] = [];
  let at = skipSpace(json, start + 1);
  while (at < json.length && json[at] !== "]") {
    const end = skipValue(json, at);
    items.push({ start: at, end });
    at = nextPart(json, end);
  }
  return items;
}

/** The objects and arrays of a text that has only spaces, commas and semicolons between them; otherwise null. */
export function valuesOf(text: string): readonly JsonSpan[] | null {
  const values: JsonSpan[] = [];
  let at = skipSpace(text, 0);
  while (at < text.length) {
    if (text[at] !== "{" && text[at] !== "[") return null;
    const end = skipValue(text, at);
    values.push({ start: at, end });
    at = skipSpace(text, end);
    if (text[at] === "," || text[at] === ";") at = skipSpace(text, at + 1);
  }
  return values.length > 0 ? values : null;
}

function nextPart(json: string, end: number): number {
  const at = skipSpace(json, end);
  return json[at] === "," ? skipSpace(json, at + 1) : at;
}

function skipString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipValue(json: string, start: number): number {
  if (json[start] === '"') return skipString(json, start);
  let depth = 0;
  let at = start;
  while (at < json.length) {
    const character = json.charAt(at);
    if (character === '"') {
      at = skipString(json, at);
      continue;
    }
    if (depth === 0 && at > start && ",]} \t\n\r".includes(character)) return at;
    if (character === "{" || character === "[") depth += 1;
    if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
    at += 1;
  }
  return at;
}
