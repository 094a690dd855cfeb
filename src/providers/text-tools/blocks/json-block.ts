/** Calls that are JSON and end where it ends. */

import { callKeys } from "../arguments/call-shapes.ts";
import type { Reading } from "../arguments/known-tools.ts";
import { createJsonMachine, type JsonMachine } from "../syntax/json-machine.ts";
import { isSpace } from "../syntax/literal.ts";
import type { BlockOptions, BlockReader } from "./block.ts";

/** Keys after which an object without any key of a call is an ordinary record. */
const patience = 8;

/** Whether the object may still be a call, after each key of it. */
export function createKeyWatch(): (key: string) => boolean {
  let keys = 0;
  let isLikely = false;
  return (key) => {
    keys += 1;
    isLikely ||= callKeys.has(key);
    return isLikely || keys < patience;
  };
}

const [openBrace, openBracket] = [0x7b, 0x5b];

/** The object or array whose first unit is `first`, in running text. */
export function bareJson(
  options: BlockOptions & {
    readonly first: "{" | "[";
    readonly read: (raw: string) => Reading | null;
  },
): BlockReader {
  const machine = createJsonMachine({ rawBreaks: false, onKey: createKeyWatch() });
  machine.feed(options.first.charCodeAt(0));
  let count = options.offset;
  let end = 0;
  let isJson = false;
  // In prose a bracket is seldom the beginning of a list of calls.
  let mustOpen = options.first === "[";
  return {
    policy: options.policy,
    trailers: options.trailers ?? [],
    wrapper: null,
    get end() {
      return end;
    },
    feed(unit) {
      count += 1;
      const isWrong = mustOpen && !isSpace(unit) && unit !== openBrace;
      if (!isSpace(unit)) mustOpen = false;
      const step = isWrong ? "error" : machine.feed(unit);
      isJson = step === "done";
      // The unit that is wrong may begin something else.
      end = isJson ? count : count - 1;
      return step !== "more";
    },
    conclude: (raw) => (isJson ? options.read(raw) : null),
    fallback: () => 0,
  };
}

/** JSON behind an opener and, where the form has one, a head such as `NAME[ARGS]`. */
export function headedJson(
  options: BlockOptions & {
    /** The longest head; 0 for forms without. */
    readonly longestHead: number;
    readonly read: (head: string, json: string, jsonStart: number) => Reading | null;
  },
): BlockReader {
  let machine: JsonMachine | null = null;
  let head = "";
  let count = options.offset;
  let end = 0;
  let jsonAt = 0;
  let isJson = false;

  function begin(unit: number): boolean {
    const isBlank = head.trim() === "";
    const opens = unit === openBrace || (unit === openBracket && isBlank);
    if (opens) {
      machine = createJsonMachine({ rawBreaks: true });
      machine.feed(unit);
      jsonAt = count - 1;
      return false;
    }
    if (!isSpace(unit) || !isBlank) head += String.fromCharCode(unit);
    end = count - 1;
    return head.length > options.longestHead || count > options.offset + 1000;
  }

  return {
    policy: options.policy,
    trailers: options.trailers ?? [],
    wrapper: options.wrapper ?? null,
    get end() {
      return end;
    },
    feed(unit) {
      count += 1;
      if (machine === null) return begin(unit);
      const step = machine.feed(unit);
      isJson = step === "done";
      end = isJson ? count : count - 1;
      return step !== "more";
    },
    conclude: (raw) => (isJson ? options.read(head.trim(), raw.slice(jsonAt), jsonAt) : null),
    fallback: () => 0,
  };
}
