/** A JSON Schema without `$ref` and `allOf`, for vendors that know neither (rule X1). Pure. */

import type { JsonSchema } from "../../conversation/ports.ts";
import { isObject, ownValue } from "../../shared/json.ts";

/** A schema that contains itself ends after so many turns in “any value”. */
const deepest = 4;

const names = new Set(["$schema", "$defs", "definitions"]);

/** Written out, with the same meaning as far as it goes; the server validates against the original. */
export function inlineSchema(schema: JsonSchema): JsonSchema {
  const found = inline(schema, schema, new Map());
  return isObject(found) ? found : {};
}

/** `open`: how often each reference is being written out around this place. */
function inline(value: unknown, root: JsonSchema, open: ReadonlyMap<string, number>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => inline(item, root, open));
  if (!isObject(value)) return value;
  const { $ref: reference, allOf, ...rest } = value;
  const own = inlineKeys(rest, root, open);
  const parts = [
    ...(typeof reference === "string" ? [followed(reference, root, open)] : []),
    ...(Array.isArray(allOf) ? allOf.map((part: unknown) => inline(part, root, open)) : []),
  ];
  return parts.reduce<JsonSchema>(
    (merged, part) => (isObject(part) ? merge(part, merged) : merged),
    own,
  );
}

/** Under `properties` every key is a name and none is a keyword. */
function inlineKeys(
  value: JsonSchema,
  root: JsonSchema,
  open: ReadonlyMap<string, number>,
): JsonSchema {
  const kept = Object.entries(value).filter(([key]) => !names.has(key));
  return Object.fromEntries(
    kept.map(([key, item]) => {
      if (key === "enum" || key === "const" || key === "default" || key === "examples") {
        return [key, item];
      }
      if (!isNamed(key) || !isObject(item)) return [key, inline(item, root, open)];
      const properties = Object.entries(item).map(([name, each]) => [
        name,
        inline(each, root, open),
      ]);
      return [key, Object.fromEntries(properties)];
    }),
  );
}

function isNamed(key: string): boolean {
  return key === "properties" || key === "patternProperties" || key === "dependentSchemas";
}

function followed(
  reference: string,
  root: JsonSchema,
  open: ReadonlyMap<string, number>,
): JsonSchema {
  const depth = open.get(reference) ?? 0;
  const target = depth >= deepest ? null : resolveReference(reference, root);
  if (target === null) return {};
  const found = inline(target, root, new Map(open).set(reference, depth + 1));
  return isObject(found) ? found : {};
}

/** The part of a schema that `#/…` names; null when there is none. */
export function resolveReference(reference: string, root: JsonSchema): JsonSchema | null {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return null;
  let found: unknown = root;
  for (const key of reference.slice(2).split("/")) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) ? ownValue(found, name) : undefined;
  }
  return isObject(found) ? found : null;
}

/** Both hold; where they say different things of one keyword, the later one is taken. */
function merge(earlier: JsonSchema, later: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...earlier, ...later };
  if (isObject(earlier.properties) && isObject(later.properties)) {
    merged.properties = { ...earlier.properties, ...later.properties };
  }
  if (Array.isArray(earlier.required) && Array.isArray(later.required)) {
    merged.required = [...new Set([...earlier.required, ...later.required])];
  }
  return merged;
}
