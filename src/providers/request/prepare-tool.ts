/**
 * Prepares a tool for its vendor, and maps calls back: converts the schema to a form that is accepted, renames
 * properties whose names the vendor refuses, and moves what the schema's root cannot hold to the description.
 * Arguments are validated by the tool's own schema, with its own names. Pure.
 */
import type { JsonSchema, Tool } from "../../conversation/ports.ts";
import { boundedSize } from "../../shared/bounded-json.ts";
import { isObject, parseJson, pointerName } from "../../shared/json.ts";
import { wellFormed } from "../../shared/well-formed.ts";
import type { Compat } from "../vendors/compat.ts";
import { googleSchema } from "./google-schema.ts";
import { inlineSchema } from "./inline-schema.ts";
import { looseSchema } from "./loose-schema.ts";
import { modernSchema } from "./modern-schema.ts";
import { objectSchema, shortDescription } from "./tool-schema.ts";

type Rules = Pick<
  Compat,
  "propertyName" | "inlineReferences" | "schemas" | "looseSchemas" | "toolDescriptionLength"
>;

/** A tool as in MCP: the description may be missing. */
export interface DescribedTool extends Pick<Tool, "name" | "inputSchema"> {
  readonly description?: string | undefined;
}

export interface PreparedTool {
  /** May be blank. */
  readonly description: string;
  readonly schema: JsonSchema & { readonly type: "object" };
}

export function prepareTool(
  { description = "", inputSchema }: Omit<DescribedTool, "name">,
  rules: Rules,
): PreparedTool {
  const whole = modernSchema(inputSchema);
  const modern = rules.looseSchemas ? looseSchema(whole) : whole;
  const renames = renamesOf(inputSchema, rules);
  const renamed = renames.size === 0 ? modern : renameIn(modern, renames);
  const isPlain = rules.inlineReferences || rules.schemas === "google";
  const object = objectSchema(isPlain ? inlineSchema(renamed) : renamed);
  const schema =
    rules.schemas === "google" ? { ...googleSchema(object), type: "object" as const } : object;
  return { description: withRule(description, lostRule(renamed), rules), schema };
}

/* ---------------------------------------------------------- rules of the root */

const longestRule = 600;

/** Rules at the root of a schema that no vendor accepts there; null if there are none. */
function lostRule(schema: JsonSchema): string | null {
  const { oneOf, anyOf, not, enum: values } = schema;
  const lost = Object.entries({ oneOf, anyOf, not, enum: values }).filter(
    ([, rule]) => rule !== undefined,
  );
  if (lost.length === 0) return null;
  const text = JSON.stringify(Object.fromEntries(lost));
  return text.length <= longestRule
    ? text
    : JSON.stringify(Object.fromEntries(lost.map(([key, rule]) => [key, sketch(rule)])));
}

/** Shortens long alternatives to what each requires. */
function sketch(rule: unknown): unknown {
  if (!Array.isArray(rule)) return {};
  return rule
    .slice(0, 8)
    .map((each) =>
      isObject(each) && Array.isArray(each.required) ? { required: each.required.slice(0, 8) } : {},
    );
}

function withRule(
  description: string,
  rule: string | null,
  { toolDescriptionLength: length }: Rules,
): string {
  if (rule === null) return shortDescription(description, length);
  const rules = `The arguments must also fit this JSON Schema: ${rule}`;
  const room = length === null ? null : Math.max(2, length - rules.length - 2);
  if (length !== null && rules.length > length - 100) return shortDescription(description, length);
  const text = shortDescription(description, room);
  return text.trim() === "" ? rules : `${text}\n\n${rules}`;
}

/* ------------------------------------------------------------ names of properties */

type Renames = ReadonlyMap<string, string>;

const nothingRenamed: Renames = new Map();

/** A cache, since every call in a history looks up its tool's renames. */
const knownRenames = new WeakMap<JsonSchema, Map<RegExp, Renames>>();

/** Maps property names to those on the wire; empty if all are accepted. */
function renamesOf(schema: JsonSchema, { propertyName }: Rules): Renames {
  if (propertyName === null) return nothingRenamed;
  const known = knownRenames.get(schema) ?? new Map<RegExp, Renames>();
  knownRenames.set(schema, known);
  const renames = known.get(propertyName) ?? makeRenames(schema, propertyName);
  known.set(propertyName, renames);
  return renames;
}

function makeRenames(schema: JsonSchema, propertyName: RegExp): Renames {
  const renames = new Map<string, string>();
  const numbers = new Map<string, number>();
  const names = new Set<string>();
  gatherNames(schema, names, 0);
  const taken = new Set([...names].filter((name) => propertyName.test(name)));
  for (const name of names) {
    if (propertyName.test(name)) continue;
    const base = name.replace(/[^a-zA-Z0-9_.-]+/g, "_").slice(0, 56) || "property";
    let unique = base;
    let number = numbers.get(base) ?? 2;
    for (; taken.has(unique); number += 1) unique = `${base}_${number}`;
    numbers.set(base, number);
    taken.add(unique);
    // The converted schema has well-formed names without lone surrogates, but the way back needs the tool's own name.
    renames.set(wellFormed(name), unique);
    renames.set(name, unique);
  }
  return renames;
}

function gatherNames(value: unknown, names: Set<string>, depth: number): void {
  if (depth > 60) return;
  if (Array.isArray(value)) for (const each of value) gatherNames(each, names, depth + 1);
  if (!isObject(value)) return;
  for (const [key, content] of Object.entries(value)) {
    if (key === "properties" && isObject(content)) {
      for (const name of Object.keys(content)) names.add(name);
    }
    gatherNames(content, names, depth + 1);
  }
}

const values = new Set(["enum", "const", "default", "examples"]);

function renameIn(value: unknown, renames: ReadonlyMap<string, string>): JsonSchema {
  const named = (content: unknown, inside: (each: unknown) => unknown) =>
    isObject(content)
      ? Object.fromEntries(
          Object.entries(content).map(([name, each]) => [renames.get(name) ?? name, inside(each)]),
        )
      : content;
  const walk = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(walk);
    if (!isObject(each)) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, content]) => {
        if (values.has(key)) return [key, content];
        if (key === "properties" || key === "dependentSchemas") return [key, named(content, walk)];
        if (key === "dependentRequired")
          return [key, named(content, (list) => renameList(list, renames))];
        if (key === "required") return [key, renameList(content, renames)];
        if (key === "$ref" && typeof content === "string")
          return [key, renamePath(content, renames)];
        return [key, walk(content)];
      }),
    );
  };
  const found = walk(value);
  return isObject(found) ? found : {};
}

function renameList(list: unknown, renames: ReadonlyMap<string, string>): unknown {
  return Array.isArray(list) ? list.map((name) => renames.get(String(name)) ?? name) : list;
}

function renamePath(path: string, renames: ReadonlyMap<string, string>): string {
  return path.replace(
    /(?<=\/properties\/)[^/]+/g,
    (segment) => renames.get(pointerName(segment)) ?? segment,
  );
}

/** Converts the model's arguments to the tool's own property names; unchanged if nothing was renamed. */
export function restoreArguments(json: string, tool: Tool | undefined, rules: Rules): string {
  return tool === undefined
    ? json
    : renameArguments(json, renamesOf(tool.inputSchema, rules), true);
}

/** Converts the arguments of an earlier call to the property names that the model sees. */
export function wireArguments(json: string, tool: Tool | undefined, rules: Rules): string {
  return tool === undefined
    ? json
    : renameArguments(json, renamesOf(tool.inputSchema, rules), false);
}

function renameArguments(
  json: string,
  renames: ReadonlyMap<string, string>,
  isBack: boolean,
): string {
  if (renames.size === 0) return json;
  const value = parseJson(json);
  // Arguments that are nested too deeply for recursion stay unchanged.
  if (!isObject(value) || boundedSize(value, Number.POSITIVE_INFINITY) === null) return json;
  const map = isBack ? new Map([...renames].map(([name, wire]) => [wire, name])) : renames;
  const walk = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(walk);
    if (!isObject(each)) return each;
    return Object.fromEntries(
      Object.entries(each).map(([name, content]) => [map.get(name) ?? name, walk(content)]),
    );
  };
  return JSON.stringify(walk(value));
}
