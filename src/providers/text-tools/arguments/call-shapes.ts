/** Reads calls in the various shapes of JSON that models write. */

import { given } from "../../../shared/given.ts";
import { isObject, isSameJson, parseJson } from "../../../shared/json.ts";
import { readJson, syntaxMistake } from "../../../transcript/strict-json.ts";
import { itemsOf, type JsonSpan, type Member, membersOf, valuesOf } from "../syntax/json-spans.ts";
import { pythonValue } from "../syntax/python.ts";
import { type FoundCall, isDefinition, type KnownTools, type Reading } from "./known-tools.ts";

export const nameKeys: readonly string[] = ["name", "function_name"];
export const argumentKeys: readonly string[] = ["arguments", "function_args", "parameters"];
/** The order inside `tool_request`, whose documentation uses `parameters`. */
const requestKeys: readonly string[] = ["parameters", "arguments", "function_args"];

/** Keys of a call that contains its own name, or of a list of such calls. */
export const requestNames: readonly string[] = ["tool_request", "tool_requests"];
const listKeys: readonly string[] = ["tool_calls", ...requestNames];

/** Keys which show that an object may be a call. */
export const callKeys: ReadonlySet<string> = new Set([
  ...nameKeys,
  ...argumentKeys,
  "function",
  ...listKeys,
]);

/** All calls in one or several JSON values; everything in the text must be a call. */
export function readCalls(text: string, context: KnownTools): Reading {
  const values = valuesOf(text);
  if (values === null) return { reason: whatElse(text) };
  const calls: FoundCall[] = [];
  for (const value of values) {
    const source = text.slice(value.start, value.end);
    const json = readJson(source);
    if (!json.ok) return { reason: json.repeatsKey ? json.reason : syntaxMistake(source) };
    const reading = readValue(text, value, context);
    if ("reason" in reading) return reading;
    for (const call of reading.calls) calls.push(call);
  }
  return { calls };
}

/** Describes a text that is not only JSON. */
function whatElse(text: string): string {
  if (/^\s*[{[]/.test(text)) return "there is something else after its JSON object";
  return text.includes("{") ? "there is text before its JSON object" : "it is not one JSON object";
}

function readValue(text: string, value: JsonSpan, context: KnownTools): Reading {
  if (text[value.start] === "[") {
    if (isOtherData(text, value.start)) return { reason: "it is a list of data", isMeant: false };
    return readItems(text, value.start, context);
  }
  const members = membersOf(text, value.start);
  const list = members.find(({ key, start }) => listKeys.includes(key) && text[start] === "[");
  if (list === undefined) return readItem(text, value.start, context);
  const reading = readItems(text, list.start, context);
  if ("reason" in reading) return reading;
  const [first, ...others] = reading.calls;
  // Thoughts next to the list come before any call in it.
  const all = [thoughtsOf(text, members), first?.thoughts].filter((each) => each !== undefined);
  if (first === undefined || all.length === 0) return reading;
  return { calls: [{ ...first, thoughts: all.join("\n") }, ...others] };
}

/** A list that begins with something other than a call, such as a chat's messages, only contains calls as examples. */
function isOtherData(text: string, start: number): boolean {
  const [first] = itemsOf(text, start);
  if (first === undefined || text[first.start] !== "{") return false;
  return !membersOf(text, first.start).some(({ key }) => callKeys.has(key));
}

function readItem(text: string, start: number, context: KnownTools): Reading {
  const members = membersOf(text, start);
  const reading = readObject(text, members, context);
  if ("reason" in reading) return reading;
  const thoughts = thoughtsOf(text, members);
  return { calls: [{ ...reading, start, ...given({ thoughts }) }] };
}

function readItems(text: string, start: number, context: KnownTools): Reading {
  const items = itemsOf(text, start);
  if (items.length === 0) return { reason: "it is an empty list" };
  const calls: FoundCall[] = [];
  for (const item of items) {
    if (text[item.start] !== "{") return { reason: "a list of calls holds only objects" };
    const reading = readItem(text, item.start, context);
    if ("reason" in reading) return reading;
    calls.push(...reading.calls);
  }
  return { calls };
}

type ObjectReading =
  | { readonly name: string; readonly arguments: string; readonly repaired?: true }
  | { readonly reason: string; readonly name?: string };

/**
 * Tries `tool_request`, then `function`, then the flat form. `arguments` precede `parameters`, except in
 * `tool_request`, where the order is reversed.
 */
function readObject(text: string, members: readonly Member[], context: KnownTools): ObjectReading {
  for (const key of ["tool_request", "function"]) {
    const inner = members.find((member) => member.key === key);
    if (inner && text[inner.start] === "{") {
      const order = key === "tool_request" ? requestKeys : argumentKeys;
      return readFlat(text, membersOf(text, inner.start), order, context);
    }
  }
  return readFlat(text, members, argumentKeys, context);
}

function readFlat(
  text: string,
  members: readonly Member[],
  order: readonly string[],
  context: KnownTools,
): ObjectReading {
  const name = first(members, [...nameKeys, "function"], (member) => text[member.start] === '"');
  const nameText = name && parseJson(text.slice(name.start, name.end));
  if (typeof nameText !== "string" || nameText.trim() === "") {
    return { reason: 'it has no "name"' };
  }
  const found = order.flatMap((key) => {
    const member = members.find((each) => each.key === key);
    return member === undefined ? [] : [text.slice(member.start, member.end)];
  });
  // Some models repeat the tool's schema next to the arguments.
  const meant = found.filter(
    (json) => !isDefinition(parsedTwice(json), context.schemaOf(nameText)),
  );
  const args = meant.find((json) => !isNothing(json)) ?? meant[0];
  if (args === undefined) {
    return found.length > 0
      ? { reason: "it defines a tool and calls none", name: nameText }
      : { reason: 'it has no "arguments"', name: nameText };
  }
  const reading = readArguments(args, nameText);
  if ("reason" in reading) return reading;
  return meant.every((other) => isSame(args, other)) ? reading : { ...reading, repaired: true };
}

/** OpenAI's servers write an empty string for a call without arguments. */
function isNothing(json: string): boolean {
  return json === "null" || json === '""';
}

/** In characters; longer texts that differ count as different, since deeply nested values cannot be compared. */
const longestCompared = 8192;

function isSame(left: string, right: string): boolean {
  if (left === right) return true;
  if (left.length + right.length > longestCompared) return false;
  return isSameJson(parsedTwice(left), parsedTwice(right));
}

/** The value of a JSON text, which may be a string that contains the JSON. */
function parsedTwice(json: string): unknown {
  const value = parseJson(json);
  return typeof value === "string" ? parseJson(value) : value;
}

function first(
  members: readonly Member[],
  keys: readonly string[],
  fits: (member: Member) => boolean,
): Member | null {
  for (const key of keys) {
    const found = members.find((member) => member.key === key && fits(member));
    if (found) return found;
  }
  return null;
}

/** Keeps the characters of an object; decodes a string that contains an object once. */
function readArguments(json: string, name: string): ObjectReading {
  if (isNothing(json)) return { name, arguments: "{}", repaired: true };
  const decoded = json.startsWith('"') ? parseJson(json) : json;
  const text = typeof decoded === "string" ? decoded.trim() : "";
  // Some servers print a Python value where JSON belongs.
  const python = text.startsWith("{'") ? pythonValue(text) : null;
  const value = readJson(python ?? text);
  if (!value.ok || !isObject(value.value)) {
    return { reason: 'its "arguments" are not a JSON object', name };
  }
  return python === null ? { name, arguments: text } : { name, arguments: python, repaired: true };
}

/** As the model wrote them: a string's text, or the JSON of any other value. */
function thoughtsOf(text: string, members: readonly Member[]): string | undefined {
  const member = members.find(({ key }) => key === "thoughts");
  if (member === undefined) return undefined;
  const json = text.slice(member.start, member.end);
  const value = parseJson(json);
  const thoughts = typeof value === "string" ? value : json;
  return thoughts.trim() === "" || json === "null" ? undefined : thoughts;
}
