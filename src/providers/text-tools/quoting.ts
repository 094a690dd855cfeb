/** What of the shown text is quoted, code or reasoning, where no call is looked for. */

import { callLanguages } from "./blocks/fence-block.ts";
import { createMatcher, type Matcher } from "./syntax/literal.ts";

/** What begins reasoning, and what ends it. */
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

export interface Quoting {
  /** Takes the next unit of shown text. */
  see(unit: number): void;
  /** From here to `closer` everything is reasoning. */
  enterReasoning(closer: string): void;
  /** Whether a call could begin with the next unit, which is `unit`. */
  allowsCall(unit: number): boolean;
  readonly isLineStart: boolean;
  /** Whether a fence is open in which only calls have stood so far. */
  readonly isFenced: boolean;
}

interface State {
  reasoning: Matcher | null;
  last: number;
  /** What stands on the line so far, without its indent; of more, the beginning. */
  head: string;
  isQuotedLine: boolean;
  /** The run of backticks or tildes at hand, and what stands before it on its line. */
  run: number;
  runUnit: number;
  runHead: string;
  /** Backticks that opened a code span; 0 outside. */
  span: number;
  fence: Fence | null;
}

interface Fence {
  readonly unit: number;
  readonly length: number;
  /** Nothing but markers of a list stand before it on its line. */
  readonly opensLine: boolean;
  /** Null below the line of the fence. */
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
  // What a quoted line opens ends with the quotation.
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
  // Few models let code spans run over lines, and a lone backtick must not hide the next call.
  if (unit === lineFeed) state.span = 0;
  if (unit === greater && listMarkers.test(state.head)) state.isQuotedLine = true;
}

/** Behind backticks in the middle of a line: in a sentence about them, more words follow, or its end. */
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

/** A run of backticks is over: it opens or closes a span or a fence, or is just text. */
function endRun(state: State): void {
  const { run, runUnit, fence, runHead } = state;
  state.run = 0;
  if (fence !== null) {
    const closes = runUnit === fence.unit && run >= fence.length;
    // On the line of the opening run it was a code span after all.
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
