/** A code fence that contains nothing but calls as JSON. */

import { readCalls } from "../arguments/call-shapes.ts";
import { type KnownTools, notComplete, type Reading, shifted } from "../arguments/known-tools.ts";
import { jsonMistake, readWithBreaks } from "../arguments/repair.ts";
import type { DetectorFinish } from "../detection.ts";
import { commentMistake, createJsonMachine, type JsonMachine } from "../syntax/json-machine.ts";
import { isSpace } from "../syntax/literal.ts";
import type { BlockReader } from "./block.ts";
import { type CallWatch, createCallWatch, looksLikeCall } from "./call-watch.ts";

/** Besides none. */
const languages = [
  ...["json", "jsonl", "json5", "tool", "tool_call", "tool_calls", "tool_request"],
  ...["tool_use", "function_call"],
];

/** The fence languages that models use for calls. */
export const callLanguages = new RegExp(`^(?:|${languages.join("|")})$`, "i");

/** Whether further letters can make it one of `callLanguages`; if not, the text is shown at once. */
function mayBecomeCallLanguage(text: string): boolean {
  const begun = text.trimStart().toLowerCase();
  if (begun === "") return true;
  const word = begun.trimEnd();
  return word === begun
    ? languages.some((name) => name.startsWith(word))
    : languages.includes(word);
}

const [tick, openBrace, openBracket, lineFeed] = [0x60, 0x7b, 0x5b, 0x0a];
const [slash, hash, quote] = [0x2f, 0x23, 0x22];
const longestLanguage = 32;

type Phase = "ticks" | "language" | "gap" | "json" | "closing" | "comment" | "broken";

/** Returns the reader of a fence whose first three backticks have been read. */
export function fenceBlock(context: KnownTools): BlockReader {
  return new FenceBlock(context);
}

/** A class because its phases share state. */
class FenceBlock implements BlockReader {
  readonly policy = "plain";
  readonly isAsked: boolean;
  readonly trailers: readonly string[] = [];
  readonly wrapper = null;
  end = 0;
  readonly #context: KnownTools;
  #phase: Phase = "ticks";
  #ticks = 3;
  #language = "";
  #machine: JsonMachine | null = null;
  #watch: CallWatch;
  #isMeant = false;
  #mistake: string | null = null;
  #hasRawBreak = false;
  #count = 3;
  #jsonStart = 0;
  #jsonEnd = 0;
  #closing = 0;
  #isOneLine = true;
  #isBlankLine = false;
  #gaveUp = false;

  constructor(context: KnownTools) {
    this.#context = context;
    this.#watch = createCallWatch(context);
    this.isAsked = context.asked.has("json");
  }

  feed(unit: number): boolean {
    this.#count += 1;
    const isOver = this.#take(unit);
    if (unit === lineFeed) this.#isBlankLine = true;
    else if (!isSpace(unit) && unit !== tick) this.#isBlankLine = false;
    return isOver;
  }

  #take(unit: number): boolean {
    if (this.#phase === "ticks" && unit === tick) {
      this.#ticks += 1;
      return false;
    }
    if (this.#phase === "ticks") this.#phase = "language";
    switch (this.#phase) {
      case "language":
        return this.#feedLanguage(unit);
      case "gap":
        return this.#feedGap(unit);
      case "comment":
        if (unit === lineFeed) this.#phase = "gap";
        return false;
      case "json":
        return this.#feedJson(unit);
      case "closing":
        return this.#feedClosing(unit);
      case "broken":
        return this.#feedBroken(unit);
    }
  }

  #giveUp(): true {
    this.#gaveUp = true;
    this.end = this.#count - 1;
    return true;
  }

  #feedLanguage(unit: number): boolean {
    const opens = unit === openBrace || unit === openBracket;
    if (unit === lineFeed) this.#isOneLine = false;
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
    this.#watch = createCallWatch(this.#context);
    this.#machine = createJsonMachine(this.#watch);
    this.#machine.feed(unit);
    if (this.#jsonStart === 0) this.#jsonStart = this.#count - 1;
    this.#phase = "json";
    return false;
  }

  #feedGap(unit: number): boolean {
    const isBehindJson = this.#jsonEnd > 0;
    if (unit === openBrace || unit === openBracket) return this.#begin(unit);
    if (isSpace(unit) || (isBehindJson && ",;".includes(String.fromCharCode(unit)))) return false;
    if (unit === slash || unit === hash) {
      this.#mistake ??= commentMistake;
      this.#phase = "comment";
      return false;
    }
    if (unit !== tick || !isBehindJson) {
      return this.#goWrong(unit, "the fence holds more than its object");
    }
    this.#phase = "closing";
    this.#closing = 1;
    return false;
  }

  #feedJson(unit: number): boolean {
    const step = this.#machine?.feed(unit) ?? "error";
    if (step === "more") return false;
    if (step === "error") return this.#goWrong(unit, null);
    this.#isMeant ||= this.#watch.isMeant || (this.isAsked && this.#watch.isNameAlone);
    this.#hasRawBreak ||= this.#machine?.hasRawBreak === true;
    this.#mistake ??= this.#machine?.mistake ?? null;
    this.#jsonEnd = this.#count;
    this.#phase = "gap";
    return false;
  }

  /** After a mistake, reads on to the end of the fence if it may have been meant as a call; otherwise it is text. */
  #goWrong(unit: number, mistake: string | null): boolean {
    const isKey = unit === quote && this.#jsonStart === 0;
    if (isKey) this.#jsonStart = this.#count - 1;
    // A fence that names a call language and contains JSON is read completely, and `conclude` decides.
    const isNamed = this.#language.trim() !== "" && this.#jsonStart > 0;
    const isLikely = isKey || isNamed || this.#isMeant || this.#watch.isLikely;
    if (!isLikely) return this.#giveUp();
    this.#mistake = isKey ? "its object does not begin with {" : mistake;
    this.#phase = "broken";
    this.#closing = 0;
    return this.#feedBroken(unit);
  }

  #feedBroken(unit: number): boolean {
    const isTick = unit === tick && (this.#isBlankLine || this.#isOneLine);
    this.#closing = isTick ? this.#closing + 1 : 0;
    this.end = this.#count;
    return this.#closing === this.#ticks;
  }

  #feedClosing(unit: number): boolean {
    if (unit !== tick) return this.#goWrong(unit, "the fence holds more than its object");
    this.#closing += 1;
    this.end = this.#count;
    return this.#closing === this.#ticks;
  }

  conclude(raw: string): Reading | null {
    if (this.#gaveUp) return null;
    if (this.#phase === "broken") return this.#readBroken(raw);
    const json = raw.slice(this.#jsonStart, this.#jsonEnd);
    if (this.#mistake !== null) {
      return this.#isMeant ? { reason: this.#mistake, isMeant: true } : null;
    }
    const reading = this.#hasRawBreak
      ? readWithBreaks(json, this.#context)
      : readCalls(json, this.#context);
    if ("reason" in reading) return { isMeant: this.#isMeant, ...reading };
    return this.#hasRawBreak ? reading : shifted(reading, this.#jsonStart);
  }

  #readBroken(raw: string): Reading | null {
    let end = raw.length;
    while (end > 0 && "` \t\r\n".includes(raw.charAt(end - 1))) end -= 1;
    const json = raw.slice(this.#jsonStart, end);
    const isMeant = this.#isMeant || this.#watch.isMeant || looksLikeCall(json, this.#context);
    return isMeant ? { reason: this.#mistake ?? jsonMistake(json), isMeant: true } : null;
  }

  fallback(finish: DetectorFinish): number {
    if (finish !== "stop") return 0;
    // The values are complete; only the closing fence is missing.
    const isWhole = this.#phase === "gap" || this.#phase === "closing";
    if (isWhole && this.#jsonEnd > 0) return this.#count;
    if (this.#phase === "json" && (this.#isMeant || this.#watch.isMeant)) {
      this.#mistake = notComplete;
      this.#phase = "broken";
    }
    return this.#phase === "broken" ? this.#count : 0;
  }
}
