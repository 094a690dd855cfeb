/** Reads the fields of a delta, which compatible servers name and fill in many ways. Pure. */
import { isObject, type JsonObject, objectsOf, textOf } from "../../shared/json.ts";

/** `function_call` is the form from before tools. */
export function callsOf({
  tool_calls: calls,
  function_call: called,
}: JsonObject): readonly JsonObject[] {
  if (Array.isArray(calls)) return objectsOf(calls);
  return isObject(called) ? [{ index: 0, function: called }] : [];
}

/** The thoughts of a delta. A vendor that sends details as well means the same thoughts by both. */
export function reasoningOf(delta: JsonObject): string {
  const named =
    textIn(delta.reasoning_content) || textIn(delta.reasoning) || textIn(delta.reasoning_text);
  if (named !== "" || delta.reasoning_details === undefined) return named;
  return objectsOf(delta.reasoning_details)
    .map(({ text, summary }) => textOf(text) || textOf(summary))
    .join("");
}

/** A text, an object with one (Envoy AI Gateway's thoughts, envoyproxy/ai-gateway#2318), or a list of these. */
export function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  // Most deltas have none, and this runs several times for each.
  if (value === undefined || value === null) return "";
  return oneOrMore(value)
    .map((part) => textOf(isObject(part) ? part.text : part))
    .join("");
}

export function oneOrMore(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
