/**
 * Finds calls in a text that arrives in chunks. Blocks are read one code unit at a time, so that chunk boundaries do
 * not matter. Text is read again only within a budget, so that the cost is at most a multiple of the input's length.
 */

import { given } from "../../shared/given.ts";
import { createKnownTools, type KnownTools } from "./arguments/known-tools.ts";
import {
  bytesOf,
  forgetBlock,
  holdBlock,
  type OpenBlock,
  type OpenedBlock,
  openBlock,
} from "./blocks/block.ts";
import type { Detector, DetectorEvent, DetectorFinish, DetectorOptions } from "./detection.ts";
import {
  blockFactsOf,
  type Findings,
  findingsOf,
  oversizedFindings,
  unclosedFindings,
} from "./findings.ts";
import { openersOf } from "./forms/forms.ts";
import { createQuoting, reasoning, wordTags } from "./quoting.ts";
import { createLiteralTable, createMatcher, isSpace, type Matcher } from "./syntax/literal.ts";
import { type ClosedBlock, closedBlockOf, finishedFindings, takeTrailer } from "./trailers.ts";

/** An opener with this many code units is reported as pending. */
const pendingAfter = 8;
const budgetFactor = 4;
const budgetBase = 64 * 1024;

/** Throws for an unknown protocol id, and in no other case. */
export function createDetector(options: DetectorOptions): Detector {
  const context = createKnownTools(options);
  return new TextToolDetector(context, openersOf(options.protocols, context));
}

class TextToolDetector implements Detector {
  readonly #context: KnownTools;
  readonly #openers: ReadonlyMap<string, OpenBlock>;
  readonly #table: ReturnType<typeof createLiteralTable>;
  readonly #quoting = createQuoting();
  #input = "";
  #at = 0;
  #block: OpenedBlock | null = null;
  #closed: ClosedBlock | null = null;
  /** The closing tag of a wrapper that is still open around the calls so far. */
  #wrapper: string | null = null;
  #text: string[] = [];
  #events: DetectorEvent[] = [];
  /** The last code unit of the text; 0 after a block. */
  #last = 0;
  #taken = 0;
  #repeated = 0;
  /** Code units of text so far, and how many of them came before the last reasoning. */
  #shown = 0;
  #beforeReasoning = 0;
  /** Finds the closing tags of word tags that a sentence mentioned: until one comes, it may have been reasoning. */
  readonly #mentioned = new Map<string, Matcher>();
  /** Whether the rest of the oversized block is reported as salvaged. */
  #isRestSalvaged = false;

  constructor(context: KnownTools, openers: ReadonlyMap<string, OpenBlock>) {
    this.#context = context;
    this.#openers = openers;
    this.#table = createLiteralTable([...openers.keys(), ...reasoning.keys()]);
  }

  push(chunk: string): DetectorEvent[] {
    this.#taken += chunk.length;
    if (this.#block !== null) holdBlock(this.#block, this.#input);
    this.#input = this.#at < this.#input.length ? this.#input.slice(this.#at) + chunk : chunk;
    this.#at = 0;
    this.#run(null);
    return this.#takeEvents();
  }

  end(finish: DetectorFinish): DetectorEvent[] {
    this.#run(finish);
    while (this.#block !== null) {
      this.#endBlock(this.#block, finish);
      this.#run(finish);
    }
    if (this.#closed !== null) this.#flushClosed(this.#closed, finish !== "stop");
    return this.#takeEvents();
  }

  openReasoning(): number | null {
    return this.#quoting.isReasoning ? this.#beforeReasoning : null;
  }

  #takeEvents(): DetectorEvent[] {
    this.#flushText();
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #run(finish: DetectorFinish | null): void {
    const ended = finish !== null;
    while (this.#at < this.#input.length) {
      if (this.#block !== null) this.#readBlock(this.#block);
      else if (this.#closed !== null && !this.#readTrailers(this.#closed, ended)) return;
      else if (this.#closed === null && !this.#readText(ended)) return;
    }
  }

  /* ------------------------------------------------------------------ text */

  /** Returns false if it needs more text. */
  #readText(ended: boolean): boolean {
    const from = this.#at;
    while (this.#at < this.#input.length) {
      const unit = this.#input.charCodeAt(this.#at);
      const isInWord = isWordUnit(unit) && isWordUnit(this.#last);
      if (!isInWord && this.#table.begins(unit) && this.#quoting.allowsCall(unit)) {
        const opener = this.#table.match(this.#input, this.#at, ended);
        if (opener !== null && !isHopeless(opener, this.#input.charCodeAt(this.#at + 1))) {
          this.#text.push(this.#input.slice(from, this.#at));
          if (opener !== "maybe") this.#open(opener);
          return opener !== "maybe";
        }
      }
      this.#see(unit);
      this.#at += 1;
    }
    this.#text.push(this.#input.slice(from));
    return true;
  }

  #see(unit: number): void {
    if (!isSpace(unit)) this.#wrapper = null;
    this.#last = unit;
    this.#shown += 1;
    this.#quoting.see(unit);
    for (const [closer, matcher] of this.#mentioned) {
      if (matcher.feed(unit)) this.#mentioned.delete(closer);
    }
  }

  #showText(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.#see(text.charCodeAt(at));
    this.#text.push(text);
  }

  #flushText(): void {
    const text = this.#text.join("");
    this.#text = [];
    if (text !== "") this.#events.push({ type: "text", text });
  }

  #open(opener: string): void {
    const isMention = wordTags.has(opener) && !this.#quoting.isLineStart;
    const closer = reasoning.get(opener);
    const open = this.#openers.get(opener);
    if (closer !== undefined || open === undefined) {
      this.#showText(opener);
      if (closer !== undefined) this.#enterReasoning(closer, isMention);
    } else {
      this.#last = 0;
      const { isLineStart, isFenced } = this.#quoting;
      this.#block = openBlock(open({ isLineStart }), this.#at, opener.length, isFenced);
    }
    this.#at += opener.length;
  }

  #enterReasoning(closer: string, isMention: boolean): void {
    if (isMention) {
      this.#mentioned.set(closer, createMatcher(closer));
    } else {
      this.#quoting.enterReasoning(closer);
      this.#beforeReasoning = this.#shown;
    }
  }

  /* ----------------------------------------------------------------- block */

  #readBlock(block: OpenedBlock): void {
    while (this.#block === block && this.#at < this.#input.length) {
      const unit = this.#input.charCodeAt(this.#at);
      this.#at += 1;
      block.bytes += bytesOf(unit);
      const isOver = block.reader.feed(unit);
      if (!block.isPending && this.#lengthOf(block) >= pendingAfter) this.#reportPending(block);
      if (isOver) this.#close(block, block.reader.end);
      else if (block.bytes > this.#context.maxCallBytes) this.#cutOversized(block);
    }
  }

  #lengthOf(block: OpenedBlock): number {
    return block.heldLength + this.#at - block.start;
  }

  #rawOf(block: OpenedBlock): string {
    return block.held.join("") + this.#input.slice(block.start, this.#at);
  }

  #reportPending(block: OpenedBlock): void {
    block.isPending = true;
    this.#flushText();
    this.#events.push({ type: "pending" });
  }

  /** The block is its first `end` code units; those after it are read again. */
  #close(block: OpenedBlock, end: number): void {
    const raw = this.#rawOf(block);
    const facts = blockFactsOf(block);
    const repeated = raw.length - end;
    if (block.isOversized) {
      this.#report(block, raw, null);
    } else if (this.#repeated + repeated > budgetFactor * this.#place() + budgetBase) {
      this.#report(block, raw, unclosedFindings(raw, facts, this.#context));
    } else {
      this.#repeated += repeated;
      this.#rewind(block, raw, end);
      const whole = raw.slice(0, end);
      const reading = block.reader.conclude(whole);
      this.#report(block, whole, findingsOf(whole, reading, facts, this.#context));
    }
  }

  /** Code units from the start of the answer to here, however it was cut into chunks. */
  #place(): number {
    return this.#taken - (this.#input.length - this.#at);
  }

  #rewind(block: OpenedBlock, raw: string, end: number): void {
    if (end >= block.heldLength) {
      this.#at = block.start + end - block.heldLength;
    } else {
      this.#input = raw.slice(end) + this.#input.slice(this.#at);
      this.#at = 0;
    }
  }

  #report(block: OpenedBlock, raw: string, findings: Findings): void {
    this.#block = null;
    if (block.isOversized) {
      this.#continueOversized(raw);
    } else if (findings === null) {
      this.#showText(raw);
    } else {
      this.#flushText();
      const { trailers, wrapper } = block.reader;
      const outer = this.#wrapper;
      const all = outer === null ? trailers : [...trailers, outer];
      this.#closed = closedBlockOf(this.#reviewed(findings), all, wrapper ?? outer);
      if (all.length === 0) this.#flushClosed(this.#closed, false);
    }
  }

  /** Behind a mentioned tag of reasoning the user has to review a call: its closing tag may still come. */
  #reviewed(findings: Exclude<Findings, null>): Exclude<Findings, null> {
    return this.#mentioned.size === 0
      ? findings
      : findings.map((each) => (each.type === "tool-call" ? { ...each, salvaged: true } : each));
  }

  #cutOversized(block: OpenedBlock): void {
    const raw = this.#rawOf(block);
    if (block.isOversized) {
      this.#continueOversized(raw);
    } else {
      const findings = oversizedFindings(raw, blockFactsOf(block), this.#context);
      if (findings === null) this.#report(block, raw, null);
      else this.#events.push(...findings);
      this.#isRestSalvaged = !blockFactsOf(block).isAsked;
    }
    block.isOversized = true;
    forgetBlock(block, this.#at);
  }

  #continueOversized(raw: string): void {
    if (raw === "") return;
    const reason = "This belongs to the tool call before it, which is too large.";
    const salvaged = this.#isRestSalvaged ? (true as const) : null;
    this.#events.push({ type: "malformed", raw, reason, continued: true, ...given({ salvaged }) });
  }

  /** The text has ended while the block is open. */
  #endBlock(block: OpenedBlock, finish: DetectorFinish): void {
    const end = block.isOversized ? 0 : block.reader.fallback(finish);
    const raw = this.#rawOf(block);
    if (end > 0) this.#close(block, end);
    else this.#report(block, raw, unclosedFindings(raw, blockFactsOf(block), this.#context));
  }

  /* -------------------------------------------------------------- trailers */

  /** Takes text that belongs to the calls before it; returns false if it needs more text. */
  #readTrailers(closed: ClosedBlock, ended: boolean): boolean {
    const end = takeTrailer(closed, this.#input, this.#at, ended);
    if (end === "maybe") return false;
    if (end === null) this.#flushClosed(closed, false);
    else this.#at = end;
    return true;
  }

  #flushClosed(closed: ClosedBlock, isCutOff: boolean): void {
    this.#closed = null;
    this.#wrapper = closed.wrapper;
    // `push(...list)` fails for thousands of calls.
    for (const event of finishedFindings(closed, isCutOff)) this.#events.push(event);
  }
}

const beginnings = new Map([
  ["{", /[\s"']/],
  ["[", /[\s{A-Za-z_]/],
  ["<", /[\w-]/],
]);

/** An ASCII letter or digit. An opener that begins with one cannot begin in the middle of a word. */
function isWordUnit(unit: number): boolean {
  const isDigit = unit >= 0x30 && unit <= 0x39;
  const letter = unit | 0x20;
  return isDigit || (letter >= 0x61 && letter <= 0x7a);
}

/** In prose and code these openers are rarely calls; the next code unit shows it without opening a block. */
function isHopeless(opener: string, next: number): boolean {
  const beginning = beginnings.get(opener);
  return beginning !== undefined && !beginning.test(String.fromCharCode(next));
}
