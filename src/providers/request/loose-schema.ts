/**
 * Leaves the limits of values out of a tool's schema, for servers that turn schemas into a grammar and refuse what that
 * cannot hold: patterns without anchors, long texts, large numbers of items. The server of the tool still checks them. Pure.
 */
import type { JsonSchema } from "../../conversation/ports.ts";
import { isObject } from "../../shared/json.ts";

const limits = new Set([
  "pattern",
  "format",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
  "patternProperties",
  "propertyNames",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
]);
/** Their keys are names of properties or of definitions, not keywords. */
const named = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
/** What is in them is data. */
const values = new Set(["enum", "const", "default", "examples", "dependentRequired"]);

/** The schema without limits. */
export function looseSchema(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !limits.has(key))
      .map(([key, content]) => {
        if (values.has(key)) return [key, content];
        return [key, named.has(key) && isObject(content) ? looseMembers(content) : loose(content)];
      }),
  );
}

function looseMembers(members: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(members).map(([name, each]) => [name, loose(each)]));
}

function loose(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(loose);
  return isObject(value) ? looseSchema(value) : value;
}

/** Whether anything would be left out. */
export function hasLimits(schema: JsonSchema): boolean {
  return JSON.stringify(looseSchema(schema)) !== JSON.stringify(schema);
}
