/**
 * What the readers of all forms share: the known tools, the budget for repairs, and the types of their findings.
 */
import type { JsonSchema } from "../../../conversation/ports.ts";
import { isObject } from "../../../shared/json.ts";
import type { DetectorOptions, TextToolCall } from "../detection.ts";
import { isSpace } from "../syntax/literal.ts";

export interface KnownTools {
  /** The forms that the model was asked to use. */
  readonly asked: ReadonlySet<string>;
  readonly maxCallBytes: number;
  readonly names: readonly string[];
  /** True for any name if no tools were given. */
  knows(name: string): boolean;
  schemaOf(name: string): JsonSchema | null;
  /** The remaining budget for repairs in this answer, the only part that changes. */
  readonly repairs: RepairBudget;
}

/** A call in a text, and where the text that belongs to it begins. */
export interface FoundCall extends TextToolCall {
  readonly start: number;
  readonly thoughts?: string;
  readonly repaired?: true;
}

/** The content of a closed block: calls, or why it has none. */
export type Reading =
  | { readonly calls: readonly FoundCall[] }
  | {
      readonly reason: string;
      readonly name?: string;
      /** Whether the model clearly meant a call of an existing tool, wherever it is; absent: unknown. */
      readonly isMeant?: boolean;
    };

/** Why a call without its end does not count. */
export const notComplete = "it is not complete, its end is missing";

/** The same reading for a text with `offset` more code units before it. */
export function shifted(reading: Reading, offset: number): Reading {
  if ("reason" in reading) return reading;
  return { calls: reading.calls.map((call) => ({ ...call, start: call.start + offset })) };
}

export function createKnownTools(options: DetectorOptions): KnownTools {
  const schemas = new Map(options.tools.map((tool) => [tool.name, tool.inputSchema ?? null]));
  const isAny = schemas.size === 0;
  return {
    asked: new Set(options.asked),
    maxCallBytes: options.maxCallBytes ?? 1024 * 1024,
    names: [...schemas.keys()],
    knows: (name) => (isAny ? anyName.test(name) : schemas.has(name)),
    schemaOf: (name) => schemas.get(name) ?? null,
    repairs: createRepairBudget(),
  };
}

const anyName = /^[\w.:/-]{1,128}$/;

/** The schema of one argument; null if it has none. */
export function propertySchema(schema: JsonSchema | null, key: string): JsonSchema | null {
  const properties = schema?.properties;
  if (!isObject(properties) || !Object.hasOwn(properties, key)) return null;
  const property = properties[key];
  return isObject(property) ? property : null;
}

/** A JSON Schema in place of arguments belongs to the definition of a tool, not to a call. */
export function isDefinition(args: unknown, schema: JsonSchema | null): boolean {
  return (
    isObject(args) &&
    args.type === "object" &&
    isObject(args.properties) &&
    propertySchema(schema, "properties") === null
  );
}

/** In code units outside of strings, for a text whose strings end clearly, so that a long file as argument is cheap. */
const mostOutside = 8192;
/** In code units, for a text whose strings do not end clearly. */
const mostUnclear = 2048;
/** For all texts of one answer together. */
const mostTogether = 16_384;

/** Limits the cost of all repairs in one answer. */
interface RepairBudget {
  /** Takes the cost of this text; returns false if it exceeds the budget. */
  spend(text: string): boolean;
}

function createRepairBudget(): RepairBudget {
  let left = mostTogether;
  return {
    spend(text) {
      const outside = unitsOutsideStrings(text);
      const cost = outside ?? text.length;
      if (cost > (outside === null ? mostUnclear : mostOutside) || cost > left) return false;
      left -= cost;
      return true;
    },
  };
}

const otherQuotes = "`´‘’“”";

/** Null if a quote is at a place where no string can begin or end. */
function unitsOutsideStrings(text: string): number | null {
  let count = 0;
  let last = "";
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"' || character === "'") {
      if (last !== "" && !"{[,:".includes(last)) return null;
      const end = closingQuote(text, at);
      if (end === null) return null;
      at = end;
    } else if (otherQuotes.includes(character)) {
      return null;
    } else {
      count += 1;
    }
    if (!isSpace(text.charCodeAt(at))) last = text.charAt(at);
    at += 1;
  }
  return count;
}

/** Where the string that begins at `start` ends; null if no JSON punctuation follows it. */
function closingQuote(text: string, start: number): number | null {
  const quote = text.charAt(start);
  let end = start + 1;
  while (end < text.length && text.charAt(end) !== quote) end += text.charAt(end) === "\\" ? 2 : 1;
  if (end >= text.length) return null;
  let next = end + 1;
  while (next < text.length && isSpace(text.charCodeAt(next))) next += 1;
  return next >= text.length || ",:]}".includes(text.charAt(next)) ? end : null;
}
