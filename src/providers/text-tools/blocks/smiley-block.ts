/** Calls between two runs of exactly 14 smileys. */

import { type Context, type Reading, shifted } from "../arguments/known-tools.ts";
import { readBlock } from "../arguments/repair.ts";
import { smiley } from "../syntax/delimiters.ts";
import { createJsonMachine } from "../syntax/json-machine.ts";
import { isSpace } from "../syntax/literal.ts";
import type { BlockReader } from "./block.ts";

const [high, low] = [smiley.charCodeAt(0), smiley.charCodeAt(1)];
const variation = 0xfe0f;
const byteOrderMark = 0xfeff;
const [quote, backslash, openBrace] = [0x22, 0x5c, 0x7b];
const delimiter = 14;
/** So much may stand behind complete JSON before the closing run is taken for forgotten. */
const longestRest = 512;

type Phase = "opening" | "gap" | "content" | "next";

/** The reader of a block whose first smiley has just been read. */
export function smileyBlock(context: Context): BlockReader {
  return new SmileyBlock(context);
}

/** A class because its phases share the state of the run at hand. */
class SmileyBlock implements BlockReader {
  readonly policy = "delimited";
  readonly trailers: readonly string[] = [];
  readonly wrapper = null;
  end = 0;
  readonly #context: Context;
  readonly #machine = createJsonMachine({ rawBreaks: true });
  #phase: Phase = "opening";
  #count = smiley.length;
  #isHalf = false;
  /** Smileys of the run at hand, where it began, and where its 14th ended. */
  #run = 1;
  #runStart = 0;
  #fourteenth = 0;
  #contentStart = 0;
  #closeStart = 0;
  #json: "more" | "done" | "error" = "more";
  #jsonEnd = 0;
  #isInString = false;
  #isEscaped = false;
  #soft = { start: 0, end: 0 };
  #problem: string | null = null;
  #isText = false;

  constructor(context: Context) {
    this.#context = context;
  }

  feed(unit: number): boolean {
    this.#count += 1;
    const wasHalf = this.#isHalf;
    this.#isHalf = unit === high;
    if (wasHalf && unit === low) return this.#smiley(this.#count - 2);
    // Other faces share the first half.
    if (wasHalf && this.#other(high, this.#count - 2)) return true;
    return !this.#isHalf && unit !== variation && this.#other(unit, this.#count - 1);
  }

  #smiley(start: number): boolean {
    if (this.#phase === "gap") return this.#isOver(start, true);
    if (this.#phase === "next") return this.#isOver(this.#fourteenth, false);
    if (this.#run === 0) this.#runStart = start;
    this.#run += 1;
    if (this.#run === delimiter) this.#fourteenth = this.#count;
    return false;
  }

  #isOver(end: number, isText: boolean): true {
    this.end = end;
    this.#isText = isText;
    return true;
  }

  #other(unit: number, start: number): boolean {
    if (this.#run > 0 && this.#endRun(start)) return true;
    switch (this.#phase) {
      case "opening":
        return false;
      case "gap":
        if (isSpace(unit) || unit === byteOrderMark) return false;
        if (!"{`[".includes(String.fromCharCode(unit))) return this.#isOver(start, true);
        this.#phase = "content";
        this.#contentStart = start;
        return this.#content(unit, start);
      case "content":
        return this.#content(unit, start);
      case "next":
        if (isSpace(unit)) return false;
        // What looked like the end of a broken block begins the next one.
        return this.#isOver(unit === openBrace ? this.#runStart : this.#fourteenth, false);
    }
  }

  /** A character that is no smiley stands at `start`; true when the run before it decides. */
  #endRun(start: number): boolean {
    const run = this.#run;
    this.#run = 0;
    const isDelimiter = run === delimiter || run === 2 * delimiter;
    if (this.#phase === "opening") {
      this.#phase = "gap";
      return !isDelimiter && this.#isOver(start, true);
    }
    if (this.#isInString) {
      if (isDelimiter && this.#soft.end === 0) this.#soft = { start: this.#runStart, end: start };
      return false;
    }
    this.#closeStart = this.#runStart;
    if (!isDelimiter) {
      if (this.#json !== "done") return false;
      this.#problem = `the closing delimiter has ${run} smileys instead of ${delimiter}`;
      return this.#isOver(start, false);
    }
    if (run === delimiter) this.#fourteenth = start;
    if (run === delimiter && this.#problem !== null) {
      this.#phase = "next";
      return false;
    }
    return this.#isOver(this.#fourteenth, false);
  }

  #content(unit: number, start: number): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString && unit === backslash) this.#isEscaped = true;
    else if (unit === quote) this.#isInString = !this.#isInString;
    if (this.#json === "more") {
      this.#json = this.#machine.feed(unit);
      if (this.#json === "done") this.#jsonEnd = start + 1;
      return false;
    }
    if (this.#json === "error") return false;
    const isHarmless = isSpace(unit) || "}],;`\ufeff".includes(String.fromCharCode(unit));
    if (!isHarmless) this.#problem ??= "something stands between its JSON and its end";
    if (start < this.#jsonEnd + longestRest) return false;
    this.#problem = "the closing delimiter is missing";
    return this.#isOver(this.#jsonEnd, false);
  }

  conclude(raw: string): Reading | null {
    if (this.#isText) return null;
    if (this.#problem !== null) return { reason: this.#problem };
    const start = this.#contentStart;
    return shifted(readBlock(raw.slice(start, this.#closeStart), this.#context), start);
  }

  fallback(): number {
    if (this.#phase === "opening" && this.#run !== delimiter) {
      this.#isText = true;
      return this.#count;
    }
    if (this.#phase === "next") return this.#fourteenth;
    if (this.#phase === "content" && this.#run > 0) {
      if (this.#endRun(this.#count)) return this.end;
      if (this.#phase === "content" && this.#soft.end === 0) return 0;
    }
    // A closing run inside a string without an end.
    this.#closeStart = this.#soft.start;
    return this.#soft.end;
  }
}
