/** Decides whether JSON, complete or broken, was meant as a call, by the keys and names that calls have. */

import { argumentKeys, callKeys, nameKeys, requestNames } from "../arguments/call-shapes.ts";
import { type KnownTools, propertySchema } from "../arguments/known-tools.ts";
import type { JsonMachineOptions } from "../syntax/json-machine.ts";

export interface CallWatch extends Required<JsonMachineOptions> {
  /** The outermost object has a key that calls have. */
  readonly isLikely: boolean;
  /** It names a tool that exists, and has a value for its arguments. */
  readonly isMeant: boolean;
  /** It names a tool that exists, and has nothing else. */
  readonly isNameAlone: boolean;
}

/** After this many keys without one of a call, an object counts as ordinary data. */
const patience = 8;
const harmlessKeys = new Set([...nameKeys, ...requestNames, "id", "type", "thoughts"]);

/** Watches one JSON value; its functions are the callbacks of a JSON machine. */
export function createCallWatch(context: KnownTools): CallWatch {
  let keys = 0;
  let isLikely = false;
  let isOther = false;
  let name: string | null = null;
  let hasArguments = false;
  let isObjectType = false;
  let hasProperties = false;

  function isDefinition(): boolean {
    const own = name === null ? null : propertySchema(context.schemaOf(name), "properties");
    return isObjectType && hasProperties && own === null;
  }

  return {
    onKey(key) {
      keys += 1;
      isLikely ||= callKeys.has(key);
      isOther ||= !harmlessKeys.has(key);
      return isLikely || keys < patience;
    },
    onMember(key, first) {
      if (key === "properties" && first === "{") hasProperties = true;
      // `"parameters": "none"` occurs in much ordinary data.
      const isStructure = first === "{" || first === "[";
      if (argumentKeys.includes(key) && (key !== "parameters" || isStructure)) hasArguments = true;
    },
    onText(key, text) {
      if (key === "type" && text === "object") isObjectType = true;
      if (key === "parameters" && text.trimStart().startsWith("{")) hasArguments = true;
      const isName = nameKeys.includes(key) || key === "function";
      if (name === null && isName && context.knows(text)) name = text;
    },
    get isLikely() {
      return isLikely;
    },
    get isMeant() {
      // A call nested in other data is an example. In a list, no key belongs to the outermost object.
      return name !== null && hasArguments && (isLikely || keys === 0) && !isDefinition();
    },
    get isNameAlone() {
      return name !== null && keys > 0 && !isOther;
    },
  };
}

// Any single quote, colon or bracket may be the missing one.
const named = /\b(?:name|function_name|function)["'”]?\s*(?::\s*)?["'“”]?([\w.:/-]{1,128})/g;
const argued = /\b(?:arguments|function_args)\b|\bparameters["'”]?\s*(?::\s*)?["'“”]?[{[]/;
const objectType = /\btype["'”]?\s*:\s*["'“”]object["'”]/;
const propertyList = /\bproperties["'”]?\s*:\s*\{/;

/** The same decision for a text with broken JSON. */
export function looksLikeCall(text: string, context: KnownTools): boolean {
  if (!argued.test(text) || (objectType.test(text) && propertyList.test(text))) return false;
  for (const match of text.matchAll(named)) {
    if (context.knows(match[1] ?? "")) return true;
  }
  return false;
}

const headed = /(?:\b(?:name|function|tool)["']?\s*[:=]\s*["']?|^\W*)(?=([\w.:/-]*\w))/g;

/** Whether a text without JSON was meant as a call: it starts with an existing tool's name, or names it with a key. */
export function beginsWithTool(text: string, context: KnownTools): boolean {
  for (const match of text.matchAll(headed)) {
    if (context.names.includes(match[1] ?? "")) return true;
  }
  return false;
}
