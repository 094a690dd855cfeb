/** Calls that are JSON and end with it. */

import { readCalls } from "../arguments/call-shapes.ts";
import { type KnownTools, notComplete, type Reading, shifted } from "../arguments/known-tools.ts";
import { jsonMistake, readWithBreaks } from "../arguments/repair.ts";
import { createJsonMachine, type JsonMachine } from "../syntax/json-machine.ts";
import { isSpace } from "../syntax/literal.ts";
import type { BlockOptions, BlockReader } from "./block.ts";
import { createCallWatch } from "./call-watch.ts";

const [openBrace, openBracket] = [0x7b, 0x5b];
const [closeBrace, closeBracket, quote, lineFeed] = [0x7d, 0x5d, 0x22, 0x0a];
/** How far behind the mistake the end of broken JSON is searched, in code units. */
const longestBroken = 4096;

/**
 * Finds the end of broken JSON: its last bracket as far as that can be told, or a blank line at the latest. Takes the
 * code units from the mistake on, and returns true with the last one.
 */
function createBrokenEnd(openBrackets: number): (unit: number) => boolean {
  let depth = openBrackets;
  let isInString = false;
  let isBlankLine = false;
  let count = 0;
  return (unit) => {
    count += 1;
    if (unit === quote) isInString = !isInString;
    // JSON strings do not contain line breaks.
    if (unit === lineFeed) isInString = false;
    if (unit === lineFeed && isBlankLine) return true;
    if (!isSpace(unit)) isBlankLine = false;
    if (unit === lineFeed) isBlankLine = true;
    if (!isInString && (unit === openBrace || unit === openBracket)) depth += 1;
    if (!isInString && (unit === closeBrace || unit === closeBracket)) depth -= 1;
    return depth === 0 || count === longestBroken;
  };
}

export interface BareJsonOptions extends BlockOptions {
  readonly first: "{" | "[";
  /** Where the JSON begins in the block. */
  readonly jsonStart: number;
  readonly isAsked: boolean;
}

/** Reads the object or array that begins with `first` in running text. */
export function bareJson(context: KnownTools, options: BareJsonOptions): BlockReader {
  const watch = createCallWatch(context);
  const machine = createJsonMachine(watch);
  machine.feed(options.first.charCodeAt(0));
  let count = options.offset;
  let end = 0;
  let found: "json" | "broken" | "open" | null = null;
  let brokenEnd: ((unit: number) => boolean) | null = null;
  // In prose, a bracket rarely begins a list of calls.
  let mustOpen = options.first === "[";

  function feedBroken(unit: number): boolean {
    if (brokenEnd?.(unit) !== true) return false;
    found = "broken";
    end = count;
    return true;
  }

  function read(json: string): Reading | null {
    if (found === "broken") return { reason: jsonMistake(json), isMeant: true };
    if (found === "open") return { reason: notComplete, isMeant: true };
    if (machine.mistake !== null) {
      return watch.isMeant ? { reason: machine.mistake, isMeant: true } : null;
    }
    const reading = machine.hasRawBreak ? readWithBreaks(json, context) : readCalls(json, context);
    return "reason" in reading ? { isMeant: watch.isMeant, ...reading } : reading;
  }

  return {
    policy: options.policy,
    isAsked: options.isAsked,
    trailers: options.trailers ?? [],
    wrapper: null,
    get end() {
      return end;
    },
    feed(unit) {
      count += 1;
      if (brokenEnd !== null) return feedBroken(unit);
      const isWrong = mustOpen && !isSpace(unit) && unit !== openBrace;
      if (!isSpace(unit)) mustOpen = false;
      const { depth } = machine;
      const step = isWrong ? "error" : machine.feed(unit);
      if (step === "more") return false;
      if (step === "done") {
        found = "json";
        end = count;
        return true;
      }
      if (watch.isMeant) {
        brokenEnd = createBrokenEnd(depth);
        return feedBroken(unit);
      }
      // The wrong code unit may begin something else.
      end = count - 1;
      return true;
    },
    conclude(raw) {
      if (found === null) return null;
      const reading = read(raw.slice(options.jsonStart));
      return reading && shifted(reading, options.jsonStart);
    },
    fallback(finish) {
      if (finish !== "stop" || !watch.isMeant) return 0;
      found = "open";
      return count;
    },
  };
}

/** Reads JSON after an opener and, in some forms, a head such as `NAME[ARGS]`. */
export function headedJson(
  options: BlockOptions & {
    /** Maximum length of the head in code units; 0 for forms without one. */
    readonly longestHead: number;
    readonly read: (head: string, json: string, jsonStart: number) => Reading | null;
  },
): BlockReader {
  let machine: JsonMachine | null = null;
  let head = "";
  let count = options.offset;
  let end = 0;
  let jsonAt = 0;
  let found: "json" | "broken" | null = null;
  let brokenEnd: ((unit: number) => boolean) | null = null;

  function begin(unit: number): boolean {
    const isBlank = head.trim() === "";
    const opens = unit === openBrace || (unit === openBracket && isBlank);
    if (opens) {
      machine = createJsonMachine();
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
      end = count;
      if (brokenEnd !== null) return brokenEnd(unit);
      const { depth } = machine;
      const step = machine.feed(unit);
      if (step === "done") found = "json";
      if (step !== "error") return step === "done";
      found = "broken";
      brokenEnd = createBrokenEnd(depth);
      return brokenEnd(unit);
    },
    conclude(raw) {
      const json = raw.slice(jsonAt);
      if (found === "broken") return { reason: jsonMistake(json) };
      return found === "json" ? options.read(head.trim(), json, jsonAt) : null;
    },
    fallback: () => 0,
  };
}
