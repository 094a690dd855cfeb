/** Tracks which parts of the shown text are quotations, code or reasoning, where calls are ignored. */

import { callLanguages } from "./blocks/fence-block.ts";
import { createMatcher, type Matcher } from "./syntax/literal.ts";

/** The opening and closing tags of reasoning. */
export const reasoning: ReadonlyMap<string, string> = new Map([
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<reasoning>", "</reasoning>"],
  ["<seed:think>", "</seed:think>"],
  ["[THINK]", "[/THINK]"],
  ["<|channel>thought", "<channel|>"],
  ["<|channel|>analysis", "<|end|>"],
]);

/** Answers also mention these words as tags, so they only begin reasoning at the start of a line. */
export const wordTags: ReadonlySet<string> = new Set(["<thought>", "<reasoning>"]);

export interface Quoting {
  /** Takes the next code unit of the shown text. */
  see(unit: number): void;
  /** Everything from here to `closer` is reasoning. */
  enterReasoning(closer: string): void;
  /** Whether the end of the reasoning is still missing. */
  readonly isReasoning: boolean;
  /** Whether a call could begin with the next code unit, which is `unit`. */
  allowsCall(unit: number): boolean;
  readonly isLineStart: boolean;
  /** Whether a code fence is open that has only contained calls so far. */
  readonly isFenced: boolean;
}

interface State {
  reasoning: Matcher | null;
  last: number;
  /** The beginning of the current line, without its indentation. */
  head: string;
  isQuotedLine: boolean;
  /** The current run of backticks or tildes, and the text before it on its line. */
  run: number;
  runUnit: number;
  runHead: string;
  /** Number of backticks that opened the code span; 0 outside of one. */
  span: number;
  fence: Fence | null;
}

interface Fence {
  readonly unit: number;
  readonly length: number;
  /** Only list markers are before it on its line. */
  readonly opensLine: boolean;
  /** Null after the line of the fence. */
  language: string | null;
  isFresh: boolean;
}

const [tick, tilde, lineFeed, greater] = [0x60, 0x7e, 0x0a, 0x3e];
const listMarkers = /^(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*$/;
const quotes = new Set([..."\"'“„«‘‹`"].map((quote) => quote.charCodeAt(0)));

export function createQuoting(): Quoting {
  const state: State = {
    reasoning: null,
    last: lineFeed,
    head: "",
    isQuotedLine: false,
    run: 0,
    runUnit: 0,
    runHead: "",
    span: 0,
    fence: null,
  };
  return {
    see(unit) {
      if (state.reasoning === null) seeText(state, unit);
      else if (state.reasoning.feed(unit)) leaveReasoning(state);
    },
    enterReasoning(closer) {
      state.reasoning = createMatcher(closer);
    },
    get isReasoning() {
      return state.reasoning !== null;
    },
    allowsCall(unit) {
      if (state.run > 0 && state.runUnit === unit) return false;
      if (state.run > 0) endRun(state);
      if (state.reasoning !== null || state.span > 0 || state.isQuotedLine) return false;
      if (state.fence !== null) return state.fence.language === null && state.fence.isFresh;
      return !quotes.has(state.last);
    },
    get isLineStart() {
      return state.head === "";
    },
    get isFenced() {
      return state.fence !== null;
    },
  };
}

function leaveReasoning(state: State): void {
  state.reasoning = null;
  state.last = lineFeed;
  state.head = "";
}

function seeText(state: State, unit: number): void {
  const isRunUnit = unit === tick || unit === tilde;
  // A fence or span inside a quoted line ends with the quotation.
  if (isRunUnit && !state.isQuotedLine && (state.run === 0 || state.runUnit === unit)) {
    if (state.run === 0) state.runHead = state.head;
    state.run += 1;
    state.runUnit = unit;
  } else {
    if (state.run > 0) endRun(state);
    seeOther(state, unit);
  }
  state.last = unit;
  if (unit === lineFeed) {
    state.head = "";
    state.isQuotedLine = false;
  } else if (state.head.length < 16 && (state.head !== "" || (unit !== 0x20 && unit !== 0x09))) {
    state.head += String.fromCharCode(unit);
  }
}

function seeOther(state: State, unit: number): void {
  const { fence } = state;
  if (fence !== null) {
    if (fence.language !== null) readLanguage(state, fence, unit);
    else if (unit > 0x20) fence.isFresh = false;
    return;
  }
  // Few models write code spans over several lines, and a single backtick must not hide the next call.
  if (unit === lineFeed) state.span = 0;
  if (unit === greater && listMarkers.test(state.head)) state.isQuotedLine = true;
}

/** Matches the text after backticks within a line if it is a fence; in a sentence about backticks, words follow. */
const languageAlone = /^\s*(?:[\w<{]\S*)?\s*$|[={]/;

function readLanguage(state: State, fence: Fence, unit: number): void {
  if (unit !== lineFeed) {
    if ((fence.language?.length ?? 0) < 64) fence.language += String.fromCharCode(unit);
    return;
  }
  const language = fence.language ?? "";
  fence.language = null;
  fence.isFresh = callLanguages.test(language.trim());
  if (!fence.opensLine && !languageAlone.test(language)) state.fence = null;
}

/** Handles the end of a run of backticks: it opens or closes a span or a fence, or is just text. */
function endRun(state: State): void {
  const { run, runUnit, fence, runHead } = state;
  state.run = 0;
  if (fence !== null) {
    const closes = runUnit === fence.unit && run >= fence.length;
    // If the closing run is on the line of the opening one, it was a code span after all.
    if (closes && (runHead === "" || fence.language !== null)) state.fence = null;
    else fence.isFresh = false;
    return;
  }
  const opensLine = listMarkers.test(runHead);
  if (run >= 3 && (opensLine || runUnit === tick) && state.span === 0) {
    state.fence = { unit: runUnit, length: run, opensLine, language: "", isFresh: false };
  } else if (runUnit === tick) {
    if (state.span === 0) state.span = run;
    else if (state.span === run) state.span = 0;
  }
}
