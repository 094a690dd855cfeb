/** What vendors refuse of the schemas of tools, written from their messages and pages. Nothing of src is used. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject, type Json, objects } from "./model-server-rules.ts";

const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });

/** The schemas in a schema, itself the first, by their places. */
function* schemasIn(schema: unknown, place: readonly string[] = []): Generator<[Json, string[]]> {
  if (!isObject(schema)) return;
  yield [schema, [...place]];
  for (const key of ["items", "not", "if", "then", "else", "contains", "additionalProperties"]) {
    yield* schemasIn(schema[key], [...place, key]);
  }
  for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    for (const [index, each] of objects(schema[key]).entries()) {
      yield* schemasIn(each, [...place, key, String(index)]);
    }
  }
  for (const key of ["properties", "$defs", "definitions", "patternProperties"]) {
    const named = schema[key];
    if (!isObject(named)) continue;
    for (const [name, each] of Object.entries(named)) yield* schemasIn(each, [...place, key, name]);
  }
}

/** OpenAI: an array says what is in it. */
export function arrayWithoutItems(schema: unknown, name: string): string | null {
  for (const [each, place] of schemasIn(schema)) {
    const isArray =
      each.type === "array" || (Array.isArray(each.type) && each.type.includes("array"));
    if (isArray && !("items" in each) && !("prefixItems" in each)) {
      return `Invalid schema for function '${name}': In context=(${place.map((part) => `'${part}'`).join(", ")}), array schema missing items.`;
    }
  }
  return null;
}

/** Anthropic: JSON Schema of 2020-12, with names of properties of its own. */
export function anthropicSchema(schema: unknown, place: string): string | null {
  for (const [{ properties }] of schemasIn(schema)) {
    const names = isObject(properties) ? Object.keys(properties) : [];
    const bad = names.find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name));
    if (bad !== undefined) {
      return `${place}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`;
    }
  }
  const isOld = [...schemasIn(schema)].some(
    ([each]) =>
      "definitions" in each ||
      "dependencies" in each ||
      Array.isArray(each.items) ||
      typeof each.exclusiveMinimum === "boolean" ||
      typeof each.exclusiveMaximum === "boolean",
  );
  const refused = `${place}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).`;
  if (isOld) return refused;
  try {
    ajv.compile(isObject(schema) ? schema : false);
    return null;
  } catch {
    return refused;
  }
}

const googleWords = new Set([
  ...["type", "format", "title", "description", "nullable", "default", "enum", "example"],
  ...["items", "maxItems", "minItems", "properties", "required", "propertyOrdering", "anyOf"],
  ...["minProperties", "maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern"],
]);

/** Google: a part of OpenAPI's schemas. */
export function googleSchema(schema: unknown, index: number): string | null {
  const of = `GenerateContentRequest.tools[0].function_declarations[${index}].parameters`;
  for (const [each, place] of schemasIn(schema)) {
    const here = [of, ...place].join(".");
    const foreign = Object.keys(each).find((key) => !googleWords.has(key));
    if (foreign !== undefined)
      return `Invalid JSON payload received. Unknown name "${foreign}" at '${here}'`;
    if (each.type === "array" && !isObject(each.items)) return `${here}.items: missing field.`;
    if (Array.isArray(each.type)) return `${here}.type: Proto field is not repeating.`;
    const known = isObject(each.properties) ? each.properties : {};
    const lost =
      Array.isArray(each.required) && each.required.find((name) => !(String(name) in known));
    if (typeof lost === "string") return `${here}.required: property is not defined: ${lost}`;
    const values = Array.isArray(each.enum) ? each.enum : [];
    if (values.some((value) => typeof value !== "string")) return `${here}.enum: only strings.`;
    const blank = values.findIndex((value) => String(value).trim() === "");
    if (blank >= 0) return `${here}.enum[${blank}]: cannot be empty`;
  }
  return null;
}
