/**
 * Whether a value is of the shape that a schema draws with its plainest keywords. Patterns, references and choices of
 * a server may take forever, and a stream does not wait: the whole schema judges the call when it is complete.
 */
import type { JsonSchema } from "../../../conversation/ports.ts";
import { isObject, ownValue } from "../../../shared/json.ts";

/** Names and values that are looked at; what is left then is taken to fit. */
const mostSteps = 100_000;

/** False only for what does not fit the schema either. */
export function hasShape(schema: JsonSchema, value: unknown): boolean {
  let steps = 0;
  const waiting: { readonly schema: JsonSchema; readonly value: unknown }[] = [{ schema, value }];
  const isOver = () => {
    steps += 1;
    return steps > mostSteps;
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { schema: rules, value: found } = next;
    if (!isOfType(rules.type, found)) return false;
    if (Array.isArray(found) && isObject(rules.items)) {
      for (const item of found) {
        if (isOver()) return true;
        waiting.push({ schema: rules.items, value: item });
      }
    }
    if (!isObject(found)) continue;
    for (const name of Array.isArray(rules.required) ? rules.required : []) {
      if (isOver()) return true;
      if (typeof name === "string" && !Object.hasOwn(found, name)) return false;
    }
    const properties = isObject(rules.properties) ? rules.properties : {};
    const isClosed = rules.additionalProperties === false && rules.patternProperties === undefined;
    for (const [name, item] of Object.entries(found)) {
      if (isOver()) return true;
      const property = ownValue(properties, name);
      if (property === undefined && isClosed) return false;
      if (isObject(property)) waiting.push({ schema: property, value: item });
    }
  }
  return true;
}

/** One word of JSON Schema, or several; other words say nothing. */
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
