/** A fence that holds nothing but calls as JSON. */

import { readCalls } from "../arguments/call-shapes.ts";
import { type Context, type Reading, shifted } from "../arguments/known-tools.ts";
import type { DetectorFinish } from "../detection.ts";
import { createJsonMachine, type JsonMachine } from "../syntax/json-machine.ts";
import { isSpace } from "../syntax/literal.ts";
import type { BlockReader } from "./block.ts";
import { createKeyWatch } from "./json-block.ts";

/** The languages in whose name models write calls. */
export const callLanguages = /^(?:|json|jsonl|json5|tool_calls?|tool_request)$/i;

const languages = ["json", "jsonl", "json5", "tool_call", "tool_calls", "tool_request"];

/** Whether more letters can make the text one of `callLanguages`: what cannot be a call any more is shown at once. */
function mayBecomeCallLanguage(text: string): boolean {
  const begun = text.trimStart().toLowerCase();
  if (begun === "") return true;
  const word = begun.trimEnd();
  return word === begun
    ? languages.some((name) => name.startsWith(word))
    : languages.includes(word);
}

const [tick, openBrace, openBracket, lineFeed] = [0x60, 0x7b, 0x5b, 0x0a];
const longestLanguage = 32;

type Phase = "ticks" | "language" | "gap" | "json" | "closing";

/** The reader of a fence whose first three ticks have just been read. */
export function fenceBlock(context: Context): BlockReader {
  return new FenceBlock(context);
}

/** A class because its phases share the state. */
class FenceBlock implements BlockReader {
  readonly policy = "plain";
  readonly trailers: readonly string[] = [];
  readonly wrapper = null;
  end = 0;
  readonly #context: Context;
  #phase: Phase = "ticks";
  #ticks = 3;
  #language = "";
  #machine: JsonMachine | null = null;
  #hasRawBreak = false;
  #count = 3;
  #jsonStart = 0;
  #jsonEnd = 0;
  #closing = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  feed(unit: number): boolean {
    this.#count += 1;
    if (this.#phase === "ticks" && unit === tick) {
      this.#ticks += 1;
      return false;
    }
    if (this.#phase === "ticks") this.#phase = "language";
    if (this.#phase === "language") return this.#feedLanguage(unit);
    if (this.#phase === "gap") return this.#feedGap(unit);
    return this.#phase === "json" ? this.#feedJson(unit) : this.#feedClosing(unit);
  }

  #giveUp(): true {
    this.#jsonEnd = 0;
    this.end = this.#count - 1;
    return true;
  }

  #feedLanguage(unit: number): boolean {
    const opens = unit === openBrace || unit === openBracket;
    if (!opens && unit !== lineFeed) this.#language += String.fromCharCode(unit);
    if (this.#language.length > longestLanguage) return this.#giveUp();
    if (!opens && unit !== lineFeed) {
      return mayBecomeCallLanguage(this.#language) ? false : this.#giveUp();
    }
    this.#phase = "gap";
    if (!callLanguages.test(this.#language.trim())) return this.#giveUp();
    return opens && this.#begin(unit);
  }

  #begin(unit: number): boolean {
    this.#machine = createJsonMachine({ rawBreaks: true, onKey: createKeyWatch() });
    this.#machine.feed(unit);
    if (this.#jsonStart === 0) this.#jsonStart = this.#count - 1;
    this.#phase = "json";
    return false;
  }

  #feedGap(unit: number): boolean {
    const isBehindJson = this.#jsonEnd > 0;
    if (unit === openBrace || unit === openBracket) return this.#begin(unit);
    if (isSpace(unit) || (isBehindJson && ",;".includes(String.fromCharCode(unit)))) return false;
    if (unit !== tick || !isBehindJson) return this.#giveUp();
    this.#phase = "closing";
    this.#closing = 1;
    return false;
  }

  #feedJson(unit: number): boolean {
    const step = this.#machine?.feed(unit) ?? "error";
    if (step === "more") return false;
    if (step === "error") return this.#giveUp();
    this.#hasRawBreak ||= this.#machine?.hasRawBreak === true;
    this.#jsonEnd = this.#count;
    this.#phase = "gap";
    return false;
  }

  #feedClosing(unit: number): boolean {
    if (unit !== tick) return this.#giveUp();
    this.#closing += 1;
    this.end = this.#count;
    return this.#closing === this.#ticks;
  }

  conclude(raw: string): Reading | null {
    if (this.#jsonEnd === 0) return null;
    const json = raw.slice(this.#jsonStart, this.#jsonEnd);
    return readFence(json, this.#jsonStart, this.#hasRawBreak, this.#context);
  }

  /** The values are whole; only the closing fence was forgotten. */
  fallback(finish: DetectorFinish): number {
    return finish === "stop" && this.#phase === "gap" && this.#jsonEnd > 0 ? this.#count : 0;
  }
}

function readFence(text: string, start: number, hasRawBreak: boolean, context: Context): Reading {
  if (!hasRawBreak) return shifted(readCalls(text, context), start);
  const reading = readCalls(escapeBreaks(text), context);
  if ("reason" in reading) return reading;
  // Escaping moved the places.
  return { calls: reading.calls.map((call) => ({ ...call, start: 0, repaired: true })) };
}

const escapes = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Line breaks inside strings, as JSON writes them. */
function escapeBreaks(json: string): string {
  const strings = /"(?:[^"\\]|\\[\s\S])*"/g;
  return json.replace(strings, (text) =>
    text.replace(/[\n\r\t]/g, (character) => escapes.get(character) ?? character),
  );
}
