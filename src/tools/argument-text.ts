/** What a model is told about unusable arguments, in the same words for every kind of tool. */
import { counted } from "../shared/counted.ts";
import { isObject, messageOf } from "../shared/json.ts";
import { ellipsize } from "../shared/visible.ts";
import { readJson, syntaxMistake } from "../transcript/strict-json.ts";

/** Returns the JSON object in a call's arguments, or a sentence for the model. Repairs nothing. */
export function readArguments(
  toolName: string,
  text: string,
): { readonly value: object } | { readonly mistake: string } {
  const reading = readJson(text);
  if (!reading.ok) {
    const reason = reading.repeatsKey ? reading.reason : syntaxMistake(text);
    return {
      mistake: `The arguments of ${toolName} are not JSON: ${reason}. Send one JSON object.`,
    };
  }
  const { value } = reading;
  if (!isObject(value)) {
    return {
      mistake: `The arguments of ${toolName} are not a JSON object. Send one JSON object.`,
    };
  }
  return { value };
}

/** `reasons` are sentences that name the fields. */
export function mismatchSentence(toolName: string, reasons: string): string {
  return (
    `The arguments do not fit the schema of ${toolName}: ${reasons} ` +
    "Call it again with corrected arguments."
  );
}

/** For a schema that itself failed, whatever the arguments are. */
export function uncheckedText(toolName: string, error: unknown): string {
  return `The arguments of ${toolName} could not be checked: ${messageOf(error)}`;
}

const maximumReasons = 5;

/** Joins the first few reasons, and counts the others. */
export function fewReasons(reasons: readonly string[]): string {
  const different = [...new Set(reasons)];
  const more = different.length - maximumReasons;
  const shown = different.slice(0, maximumReasons).join(" ");
  return more > 0 ? `${shown} And ${counted(more, "more mistake")}.` : shown;
}

/** In characters; names come from servers and models. */
const longestName = 200;

/** Writes a path into the arguments as `items[2].name`. */
export function fieldName(path: readonly (string | number)[]): string {
  if (path.length === 0) return "The object";
  const name = path
    .map((part, at) => (/^\d+$/.test(String(part)) ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join("");
  return `\`${ellipsize(name, longestName)}\``;
}

/** A value as JSON, cut to a length. */
export function short(value: unknown, length = 60): string {
  return ellipsize(JSON.stringify(value) ?? "undefined", length);
}
