/** The steps by which the content of a closed block becomes a call. */

import { jsonrepair } from "jsonrepair";
import { parseJson } from "../../../shared/json.ts";
import { readJson, syntaxMistake } from "../../../transcript/strict-json.ts";
import { readCalls } from "./call-shapes.ts";
import { type FoundCall, type KnownTools, type Reading, shifted } from "./known-tools.ts";
import { hasShape } from "./plain-fit.ts";

/** Tries strict JSON, then JSON without its wrapping, then a repair that the user has to review. */
export function readBlock(content: string, context: KnownTools): Reading {
  const { text, offset } = unwrap(content);
  const strict = readCalls(text, context);
  return shifted("reason" in strict ? (repair(text, context) ?? strict) : strict, offset);
}

/** Why the text is not valid JSON, without a full stop. */
export function jsonMistake(text: string): string {
  const json = readJson(text);
  return json.ok || json.repeatsKey ? "it is not one JSON object" : syntaxMistake(text);
}

const escapes = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Reads JSON whose only mistake is line breaks in strings; escaping them changes the places of all that follows. */
export function readWithBreaks(json: string, context: KnownTools): Reading {
  // An unclosed string is one match to the end; otherwise the search would start again at each quote in it.
  const strings = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)/g;
  const text = json.replace(strings, (string) =>
    string.replace(/[\n\r\t]/g, (character) => escapes.get(character) ?? character),
  );
  const reading = readCalls(text, context);
  if ("reason" in reading) return reading;
  return { calls: reading.calls.map((call) => ({ ...call, start: 0, repaired: true })) };
}

/** The same for a name and its arguments that are written separately. */
export function readNamed(name: string, json: string, context: KnownTools): Reading {
  const wrapped = `{"name":${JSON.stringify(name)},"arguments":${json.trim()}}`;
  const reading = readBlock(wrapped, context);
  if ("reason" in reading) return { ...reading, name };
  return { calls: reading.calls.map((call) => ({ ...call, start: 0 })) };
}

const wrapping = /^(?:\s|\ufeff|\ufe0f)*(?:(`{3,})[\w-]*(?:\s|\ufe0f)*)?/;

/** Removes the fence, the byte order mark and the variation selectors around the JSON. */
function unwrap(content: string): { readonly text: string; readonly offset: number } {
  const opening = wrapping.exec(content);
  const offset = opening?.[0].length ?? 0;
  let end = content.length;
  while (end > offset && isWrapping(content.charAt(end - 1), opening?.[1] !== undefined)) end -= 1;
  return { text: content.slice(offset, end), offset };
}

function isWrapping(character: string, isFenced: boolean): boolean {
  return " \t\n\r\ufeff\ufe0f".includes(character) || (isFenced && character === "`");
}

/** A backslash that jsonrepair would drop: `C:\Users` or `\d+`. */
const invalidEscape = /\\(?:[^"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))/;

/** Null if there is nothing to repair, or if the repair may not be what the model meant. */
function repair(text: string, context: KnownTools): Reading | null {
  if (!text.startsWith("{") && !text.startsWith("[")) return null;
  if (parseJson(text) !== undefined) return null;
  if (invalidEscape.test(text.replaceAll("\\\\", ""))) {
    return { reason: "a backslash in it escapes nothing; write it twice" };
  }
  if (endsInString(text)) return { reason: "a string in it has no end" };
  if (!context.repairs.spend(text)) return null;
  let repaired: string;
  try {
    repaired = jsonrepair(text);
  } catch {
    return null;
  }
  const reading = readCalls(repaired, context);
  if ("reason" in reading || !reading.calls.every((call) => fits(call, context))) return null;
  return { calls: reading.calls.map((call) => ({ ...call, start: 0, repaired: true })) };
}

/** jsonrepair would complete a cut-off string, so that half a file would be written. */
function endsInString(text: string): boolean {
  let isOpen = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') isOpen = !isOpen;
  }
  return isOpen;
}

/** A repaired call must fit the outline of its tool's schema; the complete schema is checked later. */
function fits(call: FoundCall, context: KnownTools): boolean {
  const schema = context.schemaOf(call.name);
  return schema === null || hasShape(schema, parseJson(call.arguments));
}
