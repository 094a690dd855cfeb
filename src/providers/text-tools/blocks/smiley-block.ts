/**
 * Calls between two runs of exactly 14 smileys. A malformed call (a wrong number of smileys, text between delimiter and
 * object, several objects) is also read to its end, so that the model can be told what is wrong.
 */

import { nameKeys } from "../arguments/call-shapes.ts";
import { type KnownTools, type Reading, shifted } from "../arguments/known-tools.ts";
import { readBlock } from "../arguments/repair.ts";
import type { DetectorFinish } from "../detection.ts";
import { smiley } from "../syntax/delimiters.ts";
import { createJsonMachine } from "../syntax/json-machine.ts";
import { isSpace } from "../syntax/literal.ts";
import type { BlockPolicy, BlockReader } from "./block.ts";
import { beginsWithTool } from "./call-watch.ts";

const [high, low] = [smiley.charCodeAt(0), smiley.charCodeAt(1)];
const variation = 0xfe0f;
const byteOrderMark = 0xfeff;
const [space, quote, backslash, openBrace] = [0x20, 0x22, 0x5c, 0x7b];
const delimiter = 14;
/** A run of at least this many smileys counts as a delimiter if an object with a name follows. */
const shortest = 8;
/** How much may follow complete JSON before the closing run counts as missing, in code units. */
const longestRest = 512;
/** How much prose may be between the opening run and the object, in code units. */
const longestProse = 512;

/** How far behind the mistake the end of broken JSON is searched, in code units. */
const longestBroken = 4096;
const prose = "there is text between its opening delimiter and its object";
const noCloser = "its closing delimiter is missing";
const noObject = "there is no JSON object between its delimiters";
const nothing = "nothing follows its opening delimiter";

/** `prose`: reading the second of two runs with text between them. */
type Phase = "opening" | "gap" | "prose" | "content" | "next";

/** Returns the reader of a block whose first smiley has been read. */
export function smileyBlock(context: KnownTools): BlockReader {
  return new SmileyBlock(context);
}

/** A class because its phases share the state of the current run. */
class SmileyBlock implements BlockReader {
  readonly policy: BlockPolicy;
  readonly trailers: readonly string[] = [];
  readonly wrapper = null;
  end = 0;
  readonly #context: KnownTools;
  #hasName = false;
  readonly #machine = createJsonMachine({
    onKey: (key) => {
      this.#hasName ||= nameKeys.includes(key) || key === "tool_request" || key === "function";
      return true;
    },
  });
  #phase: Phase = "opening";
  #count = smiley.length;
  #isHalf = false;
  /** Smileys in the current run, where it began, and where its 14th ended. */
  #run = 1;
  #runStart = 0;
  #fourteenth = 0;
  #rowEnd = 0;
  #contentStart = 0;
  /** The text between the opening run and what follows it. */
  #gapText = "";
  /** The two runs only decorate prose. */
  #isDecoration = false;
  /** The mistake found before the object began. */
  #contentProblem: string | null = null;
  /** The text in front of the object names a tool: its name, and then its arguments. */
  #isNamedBefore = false;
  #isSpaced = false;
  #closeStart = 0;
  #json: "more" | "done" | "error" = "more";
  #jsonEnd = 0;
  #isInString = false;
  #isEscaped = false;
  #soft = { start: 0, end: 0 };
  #problem: string | null = null;
  #isText = false;

  constructor(context: KnownTools) {
    this.#context = context;
    this.policy = context.asked.has("smiley") ? "delimited" : "marked";
  }

  feed(unit: number): boolean {
    this.#count += 1;
    const wasHalf = this.#isHalf;
    this.#isHalf = unit === high;
    if (wasHalf && unit === low) return this.#smiley(this.#count - 2);
    // Other emoji share the first half of the surrogate pair.
    if (wasHalf && this.#other(high, this.#count - 2)) return true;
    return !this.#isHalf && unit !== variation && this.#other(unit, this.#count - 1);
  }

  #smiley(start: number): boolean {
    if (this.#phase === "gap" && this.#gapText === "") return this.#isOver(this.#rowEnd, true);
    if (this.#phase === "gap") this.#phase = "prose";
    if (this.#phase === "next") return this.#isOver(this.#fourteenth, this.#isDecoration);
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
    if (unit === space && this.#run > 0 && this.#goesOn()) return false;
    if (this.#run > 0 && this.#endRun(start)) return true;
    switch (this.#phase) {
      case "opening":
        return false;
      case "gap":
        return this.#gap(unit, start);
      case "prose":
        return false;
      case "content":
        return this.#content(unit, start);
      case "next":
        return !isSpace(unit) && this.#next(unit);
    }
  }

  /** Whether a space belongs to the run: some models write one after each smiley. */
  #goesOn(): boolean {
    if (this.#phase === "opening" && this.#run === 1) this.#isSpaced = true;
    return this.#isSpaced && (this.#phase === "opening" || this.#json === "done");
  }

  #gap(unit: number, start: number): boolean {
    if (this.#gapText !== "" || !isSpace(unit)) this.#gapText += String.fromCharCode(unit);
    if (isSpace(unit) || unit === byteOrderMark) return false;
    const isProse = !(unit === openBrace || "`[".includes(String.fromCharCode(unit)));
    if (unit === quote && this.#problem === null) {
      this.#problem = "its object does not begin with {";
      this.#machine.feed(openBrace);
      return this.#begin(unit, start);
    }
    if (!isProse && (unit === openBrace || this.#problem === null)) {
      return this.#begin(unit, start);
    }
    // After a run with the wrong number, prose means that the run is decoration.
    if (this.#problem !== null && this.#problem !== prose) return this.#isOver(this.#rowEnd, true);
    this.#problem = prose;
    return start > this.#rowEnd + longestProse && this.#isOver(this.#rowEnd, true);
  }

  /** A run that looked like the end of a broken block, or of prose, opens the next block if an object follows it. */
  #next(unit: number): boolean {
    const isBehindProse = this.#isDecoration || this.#problem === noObject;
    if (isBehindProse && "{[`".includes(String.fromCharCode(unit))) {
      return this.#isOver(this.#rowEnd, true);
    }
    return unit === openBrace
      ? this.#isOver(this.#runStart, false)
      : this.#isOver(this.#fourteenth, this.#isDecoration);
  }

  #begin(unit: number, start: number): boolean {
    this.#phase = "content";
    this.#contentStart = start;
    this.#contentProblem = this.#problem;
    this.#isNamedBefore = this.#problem === prose && beginsWithTool(this.#gapText, this.#context);
    return this.#content(unit, start);
  }

  /** Handles the end of a run before the character at `start`; returns true if the run decides the block. */
  #endRun(start: number): boolean {
    const run = this.#run;
    this.#run = 0;
    const isDelimiter = !this.#isSpaced && (run === delimiter || run === 2 * delimiter);
    if (this.#phase === "opening") {
      this.#phase = "gap";
      this.#rowEnd = start;
      if (isDelimiter) return false;
      this.#problem = this.#isSpaced
        ? "there are spaces between the smileys of its delimiter"
        : `its opening delimiter has ${run} smileys instead of ${delimiter}`;
      return run < shortest && this.#isOver(start, true);
    }
    if (this.#phase === "prose") {
      if (run !== delimiter) return this.#isOver(this.#rowEnd, true);
      this.#isDecoration = !beginsWithTool(this.#gapText, this.#context);
      this.#problem = this.#isDecoration ? null : noObject;
      this.#fourteenth = start;
      this.#phase = "next";
      return false;
    }
    if (this.#isInString) {
      if (isDelimiter && this.#soft.end === 0) this.#soft = { start: this.#runStart, end: start };
      return false;
    }
    if (this.#json !== "more" && this.#isUnlikely) return this.#isOver(this.#rowEnd, true);
    this.#closeStart = this.#runStart;
    if (!isDelimiter) {
      if (this.#json !== "done") return false;
      this.#problem ??= `its closing delimiter has ${run} smileys instead of ${delimiter}`;
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
      if (this.#json !== "more") this.#jsonEnd = start + 1;
      return false;
    }
    return this.#json === "error" ? this.#behindError(start) : this.#behindJson(unit, start);
  }

  /** The opening run is not the requested one, so this is only a call if the object has a name, or one before it. */
  get #isUnlikely(): boolean {
    return this.#isNameless && !this.#isNamedBefore;
  }

  /** Without a closing run, a name in front is not enough. */
  get #isNameless(): boolean {
    return this.#contentProblem !== null && !this.#hasName;
  }

  #behindError(start: number): boolean {
    if (this.#isUnlikely) return this.#isOver(this.#rowEnd, true);
    return this.#contentProblem !== null && start > this.#jsonEnd + longestBroken
      ? this.#isOver(this.#isNameless ? this.#rowEnd : start, this.#isNameless)
      : false;
  }

  #behindJson(unit: number, start: number): boolean {
    if (this.#isUnlikely) return this.#isOver(this.#rowEnd, true);
    const isHarmless = isSpace(unit) || "}],;`\ufeff".includes(String.fromCharCode(unit));
    if (unit === openBrace)
      this.#problem ??= "there is more than one object between its delimiters";
    if (!isHarmless) this.#problem ??= "there is text between its object and its closing delimiter";
    if (start < this.#jsonEnd + longestRest) return false;
    if (this.#isNameless) return this.#isOver(this.#rowEnd, true);
    this.#problem = this.#contentProblem ?? noCloser;
    return this.#isOver(this.#jsonEnd, false);
  }

  conclude(raw: string): Reading | null {
    if (this.#isText) return null;
    if (this.#problem !== null) return { reason: this.#problem };
    const start = this.#contentStart;
    return shifted(readBlock(raw.slice(start, this.#closeStart), this.#context), start);
  }

  fallback(finish: DetectorFinish): number {
    const isRow = this.#phase === "opening" && (this.#run !== delimiter || this.#isSpaced);
    const isProse = this.#phase === "gap" && this.#problem !== null;
    const isText = this.#run > 0 ? this.#isUnlikely : this.#isNameless;
    if (isRow || isProse || (this.#phase === "content" && isText)) {
      this.#isText = true;
      return isRow ? this.#count : this.#rowEnd;
    }
    if (finish === "stop" && (this.#phase === "opening" || this.#phase === "gap")) {
      this.#problem = nothing;
      return this.#count;
    }
    const isRunning = (this.#phase === "content" || this.#phase === "prose") && this.#run > 0;
    if (isRunning && this.#endRun(this.#count)) return this.end;
    // `endRun` may have entered the next phase.
    if ((this.#phase as Phase) === "next") {
      this.#isText = this.#isDecoration;
      return this.#fourteenth;
    }
    if (isRunning && this.#soft.end === 0 && this.#json !== "done") return 0;
    if (finish === "stop" && this.#phase === "content" && this.#json === "done") {
      this.#problem ??= noCloser;
      return this.#jsonEnd;
    }
    // A closing run inside a string that never ends.
    this.#closeStart = this.#soft.start;
    return this.#soft.end;
  }
}
