/** The raw text of an XML value as JSON, by the type that the schema declares. */

import type { JsonSchema } from "../../../conversation/ports.ts";
import { isObject } from "../../../shared/json.ts";
import { readJson } from "../../../transcript/json.ts";
import { pythonValue } from "../syntax/python.ts";

/** What a value is when no schema says it. */
export type Untyped = "string" | "guess";

export function jsonOfText(text: string, schema: JsonSchema | null, untyped: Untyped): string {
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
  // It does not fit; whoever validates the call says so to the model.
  return JSON.stringify(text);
}

const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** `0644` and `1.2.3` stay text. */
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
