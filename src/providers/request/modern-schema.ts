/**
 * Converts a tool's schema of any draft to JSON Schema 2020-12: forms of older drafts are rewritten, and what no
 * validator could read is left out, so that no server's schema makes a chat fail. The original stays unchanged and is
 * still used to validate the arguments. Pure.
 */
import type { JsonSchema } from "../../conversation/ports.ts";
import { isObject, objectOf, ownValue } from "../../shared/json.ts";
import { wellFormedValue } from "../text.ts";
import { resolveReference } from "./inline-schema.ts";

const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** Type names of programming languages that people write by mistake. */
const otherTypes: Readonly<Record<string, string>> = {
  str: "string",
  text: "string",
  int: "integer",
  long: "integer",
  float: "number",
  double: "number",
  bool: "boolean",
  dict: "object",
  map: "object",
  list: "array",
  tuple: "array",
};

/** Keywords that hold one schema; below, a list of schemas, and schemas by name. */
const single = new Set([
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "items",
]);
const lists = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const byName = new Set(["properties", "patternProperties", "dependentSchemas", "$defs"]);

const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value);
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
const isText = (value: unknown) => typeof value === "string";

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function isNameList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
}

/** Checks of keywords' values; a keyword with another value is left out. */
const values: Readonly<Record<string, (value: unknown) => boolean>> = {
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minContains: isCount,
  maxContains: isCount,
  uniqueItems: isFlag,
  enum: (value) => Array.isArray(value) && value.length > 0,
  format: isText,
  title: isText,
  description: isText,
  pattern: isPattern,
  examples: Array.isArray,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  contentEncoding: isText,
  contentMediaType: isText,
  dependentRequired: (value) => isObject(value) && Object.values(value).every(isNameList),
};

/** Keywords that mean nothing to a model, but make vendors fail. */
const dropped = new Set([
  "$schema",
  "$id",
  "id",
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$comment",
  "$vocabulary",
  "$async",
  "definitions",
  "additionalItems",
  "dependencies",
  "nullable",
  // As a key of an object it would set the object's prototype.
  "__proto__",
]);

/** Deeper than anyone would write by hand. */
const deepest = 40;

/** A cache, since every request has the same tools. */
const made = new WeakMap<JsonSchema, JsonSchema>();

export function modernSchema(schema: JsonSchema): JsonSchema {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const found = objectOf(wellFormedValue(modern(schema, schema, 0)));
  made.set(schema, found);
  return found;
}

function modern(value: unknown, root: JsonSchema, depth: number): JsonSchema {
  if (!isObject(value) || depth > deepest) return {};
  const next = (each: unknown) => modern(each, root, depth + 1);
  const found: Record<string, unknown> = {};
  for (const [key, content] of Object.entries(rewritten(value))) {
    if (dropped.has(key)) continue;
    if (key === "type") Object.assign(found, typeOf(content, value.nullable === true));
    else if (key === "$ref") Object.assign(found, referenceOf(content, root));
    else if (key === "required") Object.assign(found, requiredOf(content, value.properties));
    else {
      const kept = keptContent(key, content, next);
      if (kept !== undefined) found[key] = kept;
    }
  }
  // In draft 3, a property itself says that it is required.
  if (!("required" in found)) Object.assign(found, requiredOf([], value.properties));
  const isList =
    found.type === "array" || (Array.isArray(found.type) && found.type.includes("array"));
  if (isList && !("items" in found) && !("prefixItems" in found)) found.items = {};
  return found;
}

/** A keyword's value, with the schemas in it converted; undefined if the value is not valid there. */
function keptContent(key: string, content: unknown, next: (each: unknown) => JsonSchema): unknown {
  if (byName.has(key)) return namedSchemas(content, key, next);
  if (lists.has(key)) {
    return Array.isArray(content) && content.length > 0 ? content.map(next) : undefined;
  }
  if (single.has(key)) {
    if (typeof content === "boolean") return content;
    return isObject(content) ? next(content) : undefined;
  }
  return (ownValue(values, key)?.(content) ?? isPlain(key, content)) ? content : undefined;
}

/** Validators treat an object under an unknown keyword as a schema, with its own id and references. */
function isPlain(key: string, content: unknown): boolean {
  return key === "default" || key === "const" || !isObject(content);
}

/** Forms of older drafts, rewritten for 2020-12. */
function rewritten(value: JsonSchema): JsonSchema {
  const { items, additionalItems, definitions, dependencies } = value;
  const changed: Record<string, unknown> = { ...value };
  if (Array.isArray(items)) {
    delete changed.items;
    if (items.length > 0) changed.prefixItems = items;
    if (additionalItems !== undefined) changed.items = additionalItems;
  }
  if (isObject(definitions)) {
    changed.$defs = { ...definitions, ...(isObject(value.$defs) ? value.$defs : {}) };
  }
  for (const [limit, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (typeof value[exclusive] !== "boolean") continue;
    delete changed[exclusive];
    if (value[exclusive] !== true || !isNumber(value[limit])) continue;
    changed[exclusive] = value[limit];
    delete changed[limit];
  }
  if (isObject(dependencies)) {
    const entries = Object.entries(dependencies);
    const names = entries.filter(([, each]) => isNameList(each));
    const schemas = entries.filter(([, each]) => isObject(each));
    if (names.length > 0) changed.dependentRequired = Object.fromEntries(names);
    if (schemas.length > 0) changed.dependentSchemas = Object.fromEntries(schemas);
  }
  return changed;
}

function typeOf(content: unknown, isNullable: boolean): { readonly type?: unknown } {
  const given = (Array.isArray(content) ? content : [content]).filter(isText);
  const known = given.flatMap((each) => {
    const word = String(each).toLowerCase();
    const name = ownValue(otherTypes, word) ?? word;
    return types.has(name) ? [name] : [];
  });
  // A union with an unknown type may mean anything.
  if (known.length === 0 || known.length < given.length) return {};
  const all = [...new Set(isNullable ? [...known, "null"] : known)];
  return { type: all.length === 1 ? all[0] : all };
}

/** A reference that leads nowhere, or out of the schema, is dropped. */
function referenceOf(content: unknown, root: JsonSchema): { readonly $ref?: string } {
  if (typeof content !== "string" || resolveReference(content, root) === null) return {};
  return { $ref: content.replace(/^#\/definitions\//, "#/$defs/") };
}

function requiredOf(content: unknown, properties: unknown): { readonly required?: unknown } {
  const listed = Array.isArray(content) ? content.filter(isText) : [];
  const own = isObject(properties)
    ? Object.entries(properties).flatMap(([name, each]) =>
        isObject(each) && each.required === true ? [name] : [],
      )
    : [];
  const names = [...new Set([...listed, ...own])];
  return names.length > 0 ? { required: names } : {};
}

function namedSchemas(
  content: unknown,
  key: string,
  next: (value: unknown) => JsonSchema,
): Readonly<Record<string, unknown>> {
  if (!isObject(content)) return {};
  const entries = Object.entries(content).filter(
    ([name]) => key !== "patternProperties" || isPattern(name),
  );
  // `false` forbids the name; a string is a description that was carelessly written in place of a schema.
  return Object.fromEntries(
    entries.map(([name, each]) => [
      name,
      typeof each === "boolean"
        ? each
        : typeof each === "string"
          ? { description: each }
          : next(each),
    ]),
  );
}

/** In characters; longer patterns mean nothing to a model. */
const longestPattern = 1000;

/** Known names in `\p{…}`, cached; there are some hundred. */
const unicodeProperties = new Set<string>();

function isUnicodeProperty(name: string): boolean {
  if (!unicodeProperties.has(name) && isReadable(`\\p{${name}}`)) unicodeProperties.add(name);
  return unicodeProperties.has(name);
}

function isReadable(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    // The syntax of another language's regular expressions. The server itself validates with the original schema.
    return false;
  }
}

/** Compiling a `\p{L}` takes 0.2 ms, so each name is checked once and replaced by `\w`, which is valid in its place. */
function isPattern(value: unknown): boolean {
  if (typeof value !== "string" || value.length > longestPattern) return false;
  let isKnown = true;
  const cheap = value.replace(/\\(?:[pP]\{([\w=]{1,60})\}|[\s\S])/g, (written, name?: string) => {
    if (name === undefined) return written;
    isKnown &&= isUnicodeProperty(name);
    return "\\w";
  });
  return isKnown && isReadable(cheap);
}
