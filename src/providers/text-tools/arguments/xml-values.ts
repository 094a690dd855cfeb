/** Reads raw values between tags, and converts them to JSON by the types in the schema. */
import type { JsonSchema } from "../../../conversation/ports.ts";
import { isObject } from "../../../shared/json.ts";
import { jsonNumber, readJson, skipSpace } from "../../../transcript/strict-json.ts";
import { pythonValue } from "../syntax/python.ts";
import { propertySchema, type Reading } from "./known-tools.ts";

export interface XmlValue {
  readonly key: string;
  readonly text: string;
  /** Whether the tag declares a string; absent: it declares nothing. */
  readonly isString?: boolean;
}

/**
 * Reads consecutive elements up to the end of the text. A value ends at the first closing tag that is followed by
 * another element or by the end. Null if there is no such place, or if a value contains an opening tag, because its end
 * would be ambiguous.
 */
export function readElements(
  body: string,
  opening: RegExp,
  closingOf: (match: RegExpExecArray) => string,
): readonly (XmlValue & { readonly match: RegExpExecArray })[] | null {
  const values: (XmlValue & { match: RegExpExecArray })[] = [];
  let at = skipSpace(body, 0);
  while (at < body.length) {
    opening.lastIndex = at;
    const match = opening.exec(body);
    if (match === null) return null;
    const start = at + match[0].length;
    const closing = closingOf(match);
    const end = valueEnd(body, start, closing, opening);
    const text = body.slice(start, end);
    if (end < 0 || text.includes(match[0])) return null;
    values.push({ key: match[1] ?? "", text, match });
    at = skipSpace(body, end + closing.length);
  }
  return values;
}

function valueEnd(body: string, start: number, closing: string, opening: RegExp): number {
  let end = body.indexOf(closing, start);
  while (end >= 0) {
    const next = skipSpace(body, end + closing.length);
    if (next >= body.length) return end;
    opening.lastIndex = next;
    if (opening.test(body)) return end;
    end = body.indexOf(closing, end + 1);
  }
  return -1;
}

/** One line break at each end belongs to the tags. */
export function withoutOuterBreaks(text: string): string {
  return text.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
}

/** A call with these values as arguments, typed by the schema. */
export function callOfValues(
  name: string,
  values: readonly XmlValue[],
  schema: JsonSchema | null,
  untyped: Untyped,
): Reading {
  const members = new Map<string, string>();
  for (const { key, text, isString } of values) {
    if (members.has(key)) return { reason: `it repeats the argument ${JSON.stringify(key)}`, name };
    const json =
      isString === true
        ? JSON.stringify(text)
        : jsonOfText(text, propertySchema(schema, key), isString === false ? "guess" : untyped);
    members.set(key, json);
  }
  const text = [...members].map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",");
  return { calls: [{ name, arguments: `{${text}}`, start: 0 }] };
}

/** How a value without a type in the schema is read. */
export type Untyped = "string" | "guess";

function jsonOfText(text: string, schema: JsonSchema | null, untyped: Untyped): string {
  const types = typesOf(schema);
  const trimmed = text.trim();
  if (types.size === 0) return untyped === "guess" ? guess(text) : JSON.stringify(text);
  if (types.has("null") && /^(?:null|None)$/.test(trimmed)) return "null";
  if (types.has("string")) return JSON.stringify(text);
  if (types.has("boolean") && /^(?:true|false)$/i.test(trimmed)) return trimmed.toLowerCase();
  if (types.has("integer") || types.has("number")) {
    if (number.test(trimmed)) return trimmed;
  }
  if (types.has("object") || types.has("array")) {
    const json = structure(trimmed);
    if (json !== null) return json;
  }
  // The value does not fit the type; the validation of the call tells the model.
  return JSON.stringify(text);
}

const number = new RegExp(`^${jsonNumber}$`);

/** `0644` and `1.2.3` stay strings. */
function guess(text: string): string {
  const trimmed = text.trim();
  if (number.test(trimmed)) return trimmed;
  if (/^(?:true|false|null)$/i.test(trimmed)) return trimmed.toLowerCase();
  return structure(trimmed) ?? JSON.stringify(text);
}

function structure(text: string): string | null {
  if (!text.startsWith("{") && !text.startsWith("[")) return null;
  return readJson(text).ok ? text : pythonValue(text);
}

function typesOf(schema: JsonSchema | null, depth = 0): ReadonlySet<string> {
  const types = new Set<string>();
  if (schema === null || depth > 4) return types;
  const { type, enum: values } = schema;
  for (const item of Array.isArray(type) ? type : [type]) {
    if (typeof item === "string") types.add(item);
  }
  if (type === undefined && Array.isArray(values)) {
    for (const item of values) types.add(item === null ? "null" : typeof item);
  }
  for (const key of ["anyOf", "oneOf"]) {
    const variants = schema[key];
    for (const variant of Array.isArray(variants) ? variants : []) {
      if (isObject(variant)) for (const item of typesOf(variant, depth + 1)) types.add(item);
    }
  }
  return types;
}
