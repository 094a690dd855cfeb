/** Converts a tool's JSON Schema to the shape that providers accept, and hashes it. Pure. */

import type { JsonSchema, Tool } from "../../conversation/ports.ts";
import { boundedJson } from "../../shared/bounded-json.ts";
import { given } from "../../shared/given.ts";
import { sha256 } from "../../shared/hash.ts";
import { isObject } from "../../shared/json.ts";
import { wellFormed } from "../../shared/well-formed.ts";
import { resolveReference } from "./inline-schema.ts";

/**
 * An object schema without `$schema`, and without `$ref`, `oneOf`, `anyOf` or `allOf` at its root, where providers
 * refuse or ignore them. Their alternatives are merged: every property of any of them, required if all of them require
 * it. The server still validates against the original.
 */
export function objectSchema(schema: JsonSchema): JsonSchema & { readonly type: "object" } {
  const { $schema, $ref, oneOf, anyOf, allOf, not, enum: values, const: value, ...shape } = schema;
  const { type, properties, required, ...rest } = shape;
  const root = { properties, required };
  const reading: Reading = { variants: mostVariants, names: mostNames };
  // A `$ref` at the root is merged with the keywords next to it.
  const referred = $ref === undefined ? [] : variants([{ $ref }], schema, reading);
  const all = [root, ...referred, ...variants(allOf, schema, reading)];
  const choices = [variants(oneOf, schema, reading), variants(anyOf, schema, reading)].filter(
    (choice) => choice.length > 0,
  );
  const sources = [...all, ...choices.flat()];
  const names = new Set([
    ...all.flatMap(requiredOf),
    ...choices.flatMap((choice) => requiredByEach(choice)),
  ]);
  const merged = mergeProperties(sources);
  const isMerged = sources.length > 1;
  // A merged root must not forbid a property that only one of its alternatives has.
  const { additionalProperties, ...others } = rest;
  return {
    ...others,
    ...given({
      additionalProperties:
        isMerged || additionalProperties === undefined ? null : additionalProperties,
    }),
    type: "object",
    properties: merged,
    ...given({ required: names.size > 0 ? [...names] : null }),
  };
}

/** Limits, since parts and alternatives that refer to one another can expand without end. */
const mostVariants = 1000;
const mostNames = 20_000;

/** What is left of these limits. */
interface Reading {
  variants: number;
  names: number;
}

function variants(
  value: unknown,
  root: JsonSchema,
  reading: Reading,
  depth = 0,
): readonly JsonSchema[] {
  if (!Array.isArray(value)) return [];
  const found: JsonSchema[] = [];
  for (const item of value) {
    if (reading.variants <= 0 || reading.names <= 0) break;
    const variant = resolve(item, root);
    if (variant === null) continue;
    reading.variants -= 1;
    // Alternatives may consist of parts themselves; the depth limit ends a schema that contains itself.
    const parts = depth < 8 ? variants(variant.allOf, root, reading, depth + 1) : [];
    found.push(combine([variant, ...parts], reading));
  }
  return found;
}

function combine(schemas: readonly JsonSchema[], reading: Reading): JsonSchema {
  const combined = {
    properties: mergeProperties(schemas),
    required: [...new Set(schemas.flatMap(requiredOf))],
  };
  reading.names -= Object.keys(combined.properties).length + combined.required.length;
  return combined;
}

function resolve(value: unknown, root: JsonSchema): JsonSchema | null {
  if (!isObject(value)) return null;
  return typeof value.$ref === "string" ? resolveReference(value.$ref, root) : value;
}

function requiredOf(schema: JsonSchema): readonly string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function requiredByEach(schemas: readonly JsonSchema[]): readonly string[] {
  const [first, ...others] = schemas.map((schema) => new Set(requiredOf(schema)));
  return [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
}

/** In characters; longer descriptions of a property only count as the same if they are the same object. */
const longestCompared = 10_000;

/** A property that alternatives describe differently becomes an `anyOf` of the descriptions. */
function mergeProperties(schemas: readonly JsonSchema[]): Readonly<Record<string, unknown>> {
  const found = new Map<string, Set<unknown>>();
  for (const { properties } of schemas) {
    if (!isObject(properties)) continue;
    for (const [name, property] of Object.entries(properties)) {
      const known = found.get(name);
      if (known === undefined) found.set(name, new Set([property]));
      else known.add(property);
    }
  }
  return Object.fromEntries(
    [...found].map(([name, all]) => {
      const different = all.size === 1 ? [...all] : differentOf(all);
      return [name, different.length === 1 ? different[0] : { anyOf: different }];
    }),
  );
}

function differentOf(values: Iterable<unknown>): readonly unknown[] {
  const byText = new Map<unknown, unknown>();
  for (const value of values) {
    const text = boundedJson(value, longestCompared) ?? value;
    if (!byText.has(text)) byText.set(text, value);
  }
  return [...byText.values()];
}

/**
 * The same order in every request, since a vendor's cache holds as long as the prefix does: by name, and then the
 * tools that the model has found since, in the order in which it found them.
 */
export function inNameOrder(tools: readonly Tool[]): readonly Tool[] {
  return [...tools].sort(
    (a, b) =>
      (a.loadedAs ?? -1) - (b.loadedAs ?? -1) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}

/** Cuts the description to this length in characters; null: no limit. */
export function shortDescription(description: string, length: number | null): string {
  const text = wellFormed(description);
  if (length === null || text.length <= length) return text;
  // The cut may split a surrogate pair.
  return `${wellFormed(text.slice(0, length - 2)).replace(/\uFFFD$/, "")}…`;
}

/** Changes when the tool changes, so that a fixed tool is offered again. */
export function toolHash({ name, description, inputSchema }: Tool): string {
  return sha256(JSON.stringify([name, description, inputSchema])).slice(0, 16);
}
