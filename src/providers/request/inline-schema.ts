/** Removes `$ref` and `allOf` from a JSON Schema, for vendors that support neither (rule X1). Pure. */

import type { JsonSchema } from "../../conversation/ports.ts";
import { isObject, ownValue, pointerName } from "../../shared/json.ts";

/** A schema that contains itself is expanded this often; deeper levels become “any value”. */
const deepest = 4;

/** Limits for nested references and for all their expansions: a few lines of schema can expand to gigabytes. */
const mostOpen = 40;
const mostWritten = 20_000;

const names = new Set(["$schema", "$defs", "definitions"]);

/** The schema being expanded, and how many keys and items references may still add. */
interface Writing {
  readonly root: JsonSchema;
  left: number;
}

/** How often each reference is open around this place, and how many are nested in total. */
interface Place {
  readonly open: ReadonlyMap<string, number>;
  readonly depth: number;
}

/** The expanded schema, with the same meaning up to the limits; the server validates against the original. */
export function inlineSchema(schema: JsonSchema): JsonSchema {
  const writing = { root: schema, left: mostWritten };
  const found = inline(schema, writing, { open: new Map(), depth: 0 });
  return isObject(found) ? found : {};
}

function inline(value: unknown, writing: Writing, place: Place): unknown {
  if (Array.isArray(value)) {
    spend(writing, place, value.length);
    return value.map((item: unknown) => inline(item, writing, place));
  }
  if (!isObject(value)) return value;
  const { $ref: reference, allOf, ...rest } = value;
  const own = inlineKeys(rest, writing, place);
  const parts = [
    ...(typeof reference === "string" ? [followed(reference, writing, place)] : []),
    ...(Array.isArray(allOf) ? allOf.map((part: unknown) => inline(part, writing, place)) : []),
  ];
  return parts.length === 0 ? own : merged([own, ...parts.filter(isObject)]);
}

function spend(writing: Writing, { depth }: Place, count: number): void {
  if (depth > 0) writing.left -= count;
}

/** Keys under `properties` are names, never keywords. */
function inlineKeys(value: JsonSchema, writing: Writing, place: Place): JsonSchema {
  const kept = Object.entries(value).filter(([key]) => !names.has(key));
  spend(writing, place, kept.length + 1);
  return Object.fromEntries(
    kept.map(([key, item]) => {
      if (key === "enum" || key === "const" || key === "default" || key === "examples") {
        return [key, item];
      }
      if (!isNamed(key) || !isObject(item)) return [key, inline(item, writing, place)];
      const properties = Object.entries(item);
      spend(writing, place, properties.length);
      const written = properties.map(([name, each]) => [name, inline(each, writing, place)]);
      return [key, Object.fromEntries(written)];
    }),
  );
}

function isNamed(key: string): boolean {
  return key === "properties" || key === "patternProperties" || key === "dependentSchemas";
}

function followed(reference: string, writing: Writing, { open, depth }: Place): JsonSchema {
  const times = open.get(reference) ?? 0;
  if (times >= deepest || depth >= mostOpen || writing.left <= 0) return {};
  const target = resolveReference(reference, writing.root);
  if (target === null) return {};
  const place = { open: new Map(open).set(reference, times + 1), depth: depth + 1 };
  const found = inline(target, writing, place);
  return isObject(found) ? found : {};
}

/** The subschema at a `#/…` reference; null if there is none. */
export function resolveReference(reference: string, root: JsonSchema): JsonSchema | null {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return null;
  let found: unknown = root;
  for (const key of reference.slice(2).split("/")) {
    found = isObject(found) ? ownValue(found, pointerName(key)) : undefined;
  }
  return isObject(found) ? found : null;
}

/** Merges schemas that must all hold; if they differ in a keyword, the first one wins. */
function merged(schemas: readonly JsonSchema[]): JsonSchema {
  const found = joined(schemas);
  const properties = schemas.map((schema) => schema.properties).filter(isObject);
  const required = schemas.toReversed().map((schema) => schema.required);
  return {
    ...found,
    ...(isObject(found.properties) ? { properties: joined(properties) } : {}),
    ...(Array.isArray(found.required)
      ? { required: [...new Set(required.filter(Array.isArray).flat())] }
      : {}),
  };
}

/** Built from entries, since a property may be named `__proto__`. */
function joined(objects: readonly JsonSchema[]): JsonSchema {
  return Object.fromEntries(objects.toReversed().flatMap((each) => Object.entries(each)));
}
