/** Reduces a schema to the part of JSON Schema that Google's function declarations support. Pure. */
import type { JsonSchema } from "../../conversation/ports.ts";
import { isObject } from "../../shared/json.ts";

/** Keywords that are kept unchanged. */
const kept = new Set([
  "title",
  "description",
  "default",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
  "pattern",
]);
/** Google refuses any other format. */
const formats: Readonly<Record<string, readonly string[]>> = {
  string: ["date-time", "enum"],
  number: ["float", "double"],
  integer: ["int32", "int64"],
};

/** Expects a 2020-12 schema without references. */
export function googleSchema(schema: JsonSchema): JsonSchema {
  const { type, isNullable, choices } = typesOf(schema);
  const found: Record<string, unknown> = {};
  for (const [key, content] of Object.entries(schema)) {
    if (kept.has(key)) found[key] = content;
  }
  if (type !== undefined) found.type = type;
  if (isNullable) found.nullable = true;
  if (choices.length > 0) found.anyOf = choices;
  Object.assign(found, enumOf(schema, type));
  const { format, items, prefixItems, properties, required } = schema;
  if (typeof format === "string" && formats[String(type)]?.includes(format)) found.format = format;
  if (type === "array") {
    const each = isObject(items) ? items : Array.isArray(prefixItems) ? { anyOf: prefixItems } : {};
    found.items = itemsOf(each);
  }
  if (isObject(properties)) {
    const known = Object.entries(properties).filter(([, each]) => each !== false);
    found.properties = Object.fromEntries(
      known.map(([name, each]) => [name, isObject(each) ? googleSchema(each) : {}]),
    );
    const names = new Set(known.map(([name]) => name));
    const needed = Array.isArray(required)
      ? required.filter((name) => names.has(String(name)))
      : [];
    // Google refuses a required name without a description.
    if (needed.length > 0) found.required = needed;
  }
  return found;
}

/** Google refuses items without a type. */
function itemsOf(schema: JsonSchema): JsonSchema {
  const found = googleSchema(schema);
  return "type" in found || "anyOf" in found ? found : { ...found, type: "string" };
}

function typesOf(schema: JsonSchema): {
  readonly type: unknown;
  readonly isNullable: boolean;
  readonly choices: readonly JsonSchema[];
} {
  const given = Array.isArray(schema.type) ? schema.type : [schema.type];
  const types = given.filter((each) => each !== "null" && each !== undefined);
  const either = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
  const others = either.filter(isObject).filter((each) => each.type !== "null");
  const isNullable = types.length < given.length && schema.type !== undefined;
  const hasNull = isNullable || others.length < either.length;
  if (types.length > 1) {
    return {
      type: undefined,
      isNullable: hasNull,
      choices: types.map((type) => googleSchema({ type })),
    };
  }
  const choices = others.map(googleSchema);
  const [only] = choices;
  if (choices.length === 1 && only !== undefined && types.length === 0) {
    return {
      type: only.type,
      isNullable: hasNull,
      choices: "type" in only && isSimple(only) ? [] : choices,
    };
  }
  const implied = types[0] ?? (isObject(schema.properties) ? "object" : undefined);
  return { type: choices.length > 0 ? types[0] : implied, isNullable: hasNull, choices };
}

function isSimple(schema: JsonSchema): boolean {
  return Object.keys(schema).every((key) => key === "type" || key === "description");
}

/** Only a list of non-blank strings becomes `enum`; other values are listed in the description. */
function enumOf(schema: JsonSchema, type: unknown): JsonSchema {
  const values = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : [];
  const words = values.filter((each) => each !== null);
  if (words.length === 0) return {};
  if (
    words.every((each) => typeof each === "string" && each.trim() !== "") &&
    (type === undefined || type === "string")
  ) {
    return { type: "string", enum: words };
  }
  const choices = `One of ${JSON.stringify(words)}.`;
  const { description } = schema;
  return { description: typeof description === "string" ? `${description} ${choices}` : choices };
}
