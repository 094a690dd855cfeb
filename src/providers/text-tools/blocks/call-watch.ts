/** Whether JSON that goes by, whole or broken, was meant as a call: the keys and names that calls have. */

import { argumentKeys, callKeys, nameKeys, requestNames } from "../arguments/call-shapes.ts";
import { type KnownTools, propertySchema } from "../arguments/known-tools.ts";
import type { JsonMachineOptions } from "../syntax/json-machine.ts";

export interface CallWatch extends Required<JsonMachineOptions> {
  /** A key of the outermost object is one that calls have. */
  readonly isLikely: boolean;
  /** It names a tool that exists, and something stands where arguments belong. */
  readonly isMeant: boolean;
  /** It names a tool that exists and has nothing beside its name. */
  readonly isNameAlone: boolean;
}

/** Keys after which an object without any key of a call is an ordinary record. */
const patience = 8;
const harmlessKeys = new Set([...nameKeys, ...requestNames, "id", "type", "thoughts"]);

/** Watches one JSON value; its functions are those that a JSON machine calls. */
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
      // `"parameters": "none"` stands in many a record.
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
      // A call inside other data is an example of one; in a list no key is the outermost object's.
      return name !== null && hasArguments && (isLikely || keys === 0) && !isDefinition();
    },
    get isNameAlone() {
      return name !== null && keys > 0 && !isOther;
    },
  };
}

// Any one quote, colon or bracket may be what is missing.
const named = /\b(?:name|function_name|function)["']?\s*(?::\s*)?["']?([\w.:/-]{1,128})/g;
const argued = /\b(?:arguments|function_args)\b|\bparameters["']?\s*(?::\s*)?["']?[{[]/;
const objectType = /["']?\btype["']?\s*:\s*["']object["']/;
const propertyList = /["']?\bproperties["']?\s*:\s*\{/;

/** The same of a text in which JSON went wrong somewhere. */
export function isMeantAsCall(text: string, context: KnownTools): boolean {
  if (!argued.test(text) || (objectType.test(text) && propertyList.test(text))) return false;
  for (const match of text.matchAll(named)) {
    if (context.knows(match[1] ?? "")) return true;
  }
  return false;
}

const headed = /(?:\b(?:name|function|tool)["']?\s*[:=]\s*["']?|^\W*)(?=([\w.:/-]*\w))/g;

/** Whether a text that holds no JSON was meant as a call: it begins with the name of a tool that exists, or says it. */
export function namesTool(text: string, context: KnownTools): boolean {
  for (const match of text.matchAll(headed)) {
    if (context.names.includes(match[1] ?? "")) return true;
  }
  return false;
}
