/** A tool's JSON Schema in the shape that model providers accept. Pure; the original is never changed. */

import type { JsonSchema, Tool } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import { isObject } from "../../shared/json.ts";
import { wellFormed } from "../text.ts";
import { resolveReference } from "./inline-schema.ts";

/**
 * An object schema without `$schema` and without `oneOf`, `anyOf` or `allOf` at its root, which providers refuse
 * there. Their alternatives are merged: every property of any of them, required where all of them require it.
 * The server still validates against the original.
 */
export function objectSchema(schema: JsonSchema): JsonSchema & { readonly type: "object" } {
  const { $schema, oneOf, anyOf, allOf, not, enum: values, const: value, ...shape } = schema;
  const { type, properties, required, ...rest } = shape;
  const root = { properties, required };
  const all = [root, ...variants(allOf, schema)];
  const choices = [variants(oneOf, schema), variants(anyOf, schema)].filter(
    (choice) => choice.length > 0,
  );
  const sources = [...all, ...choices.flat()];
  const names = new Set([
    ...all.flatMap(requiredOf),
    ...choices.flatMap((choice) => requiredByEach(choice)),
  ]);
  const merged = mergeProperties(sources);
  const isMerged = sources.length > 1;
  // A merged root must not forbid what only one of its alternatives names.
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

function variants(value: unknown, root: JsonSchema, depth = 0): readonly JsonSchema[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const variant = resolve(item, root);
    // Alternatives may themselves consist of parts; a schema that contains itself ends here.
    const parts = depth < 8 ? variants(variant?.allOf, root, depth + 1) : [];
    return variant === null ? [] : [combine([variant, ...parts])];
  });
}

function combine(schemas: readonly JsonSchema[]): JsonSchema {
  return { properties: mergeProperties(schemas), required: schemas.flatMap(requiredOf) };
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
  const [first, ...others] = schemas.map(requiredOf);
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)));
}

/** A property that alternatives describe differently may be any of those. */
function mergeProperties(schemas: readonly JsonSchema[]): Readonly<Record<string, unknown>> {
  const found = new Map<string, unknown[]>();
  for (const { properties } of schemas) {
    if (!isObject(properties)) continue;
    for (const [name, property] of Object.entries(properties)) {
      const known = found.get(name) ?? [];
      const text = JSON.stringify(property);
      if (!known.some((other) => JSON.stringify(other) === text)) known.push(property);
      found.set(name, known);
    }
  }
  return Object.fromEntries(
    [...found].map(([name, all]) => [name, all.length === 1 ? all[0] : { anyOf: all }]),
  );
}

/**
 * The same order in every request: a vendor's cache holds as long as its beginning does. By their names; those that
 * the model has found since stand behind, in the order in which it found them.
 */
export function inNameOrder(tools: readonly Tool[]): readonly Tool[] {
  return [...tools].sort(
    (a, b) =>
      (a.loadedAs ?? -1) - (b.loadedAs ?? -1) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}

/** A description of at most so many characters; null: as it is. */
export function shortDescription(description: string, length: number | null): string {
  const text = wellFormed(description);
  if (length === null || text.length <= length) return text;
  // The cut may fall into a surrogate pair.
  return `${wellFormed(text.slice(0, length - 2)).replace(/\uFFFD$/, "")}…`;
}
