/**
 * Checks a value against the simplest keywords of a schema. A server's patterns, references and alternatives may take
 * forever, and a stream must not wait; the complete schema is checked when the call is complete.
 */
import type { JsonSchema } from "../../../conversation/ports.ts";
import { isObject, type JsonObject, ownValue } from "../../../shared/json.ts";

/** Limit of checked names and values; the rest counts as valid. */
const mostSteps = 100_000;

/** Returns false only if the value does not fit the complete schema either. */
export function hasShape(schema: JsonSchema, value: unknown): boolean {
  let steps = 0;
  const waiting: Pair[] = [{ rules: schema, value }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!isOfType(next.rules.type, next.value)) return false;
    steps += stepsOf(next);
    if (steps > mostSteps) return true;
    if (isObject(next.value) && !hasNames(next.rules, next.value)) return false;
    for (const part of partsOf(next)) waiting.push(part);
  }
  return true;
}

interface Pair {
  readonly rules: JsonSchema;
  readonly value: unknown;
}

function stepsOf({ rules, value }: Pair): number {
  if (Array.isArray(value)) return isObject(rules.items) ? value.length : 0;
  if (!isObject(value)) return 0;
  return Object.keys(value).length + (Array.isArray(rules.required) ? rules.required.length : 0);
}

/** Whether all required names are present, and no forbidden one. */
function hasNames(rules: JsonSchema, value: JsonObject): boolean {
  const required: readonly unknown[] = Array.isArray(rules.required) ? rules.required : [];
  const isThere = (name: unknown) => typeof name !== "string" || Object.hasOwn(value, name);
  if (!required.every(isThere)) return false;
  const isOpen = rules.additionalProperties !== false || rules.patternProperties !== undefined;
  const properties = isObject(rules.properties) ? rules.properties : {};
  return isOpen || Object.keys(value).every((name) => ownValue(properties, name) !== undefined);
}

/** The parts of the value that have their own schema. */
function partsOf({ rules, value }: Pair): readonly Pair[] {
  const { items, properties } = rules;
  if (Array.isArray(value)) {
    return isObject(items) ? value.map((item) => ({ rules: items, value: item })) : [];
  }
  if (!isObject(value) || !isObject(properties)) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const property = ownValue(properties, name);
    return isObject(property) ? [{ rules: property, value: part }] : [];
  });
}

/** `type` is one type of JSON Schema or a list of types; unknown types accept everything. */
function isOfType(type: unknown, value: unknown): boolean {
  const words: readonly unknown[] = Array.isArray(type) ? type.slice(0, 10) : [type];
  return words.some((word) => isOf(word, value));
}

function isOf(word: unknown, value: unknown): boolean {
  switch (word) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "string":
    case "number":
    case "boolean":
      return typeof value === word;
    default:
      return true;
  }
}
