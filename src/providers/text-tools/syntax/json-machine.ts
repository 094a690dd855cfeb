/** Reads one JSON object or array, one UTF-16 unit at a time, and says where it ends or goes wrong. */
import { isSpace } from "./literal.ts";

export type JsonStep = "more" | "done" | "error";

export interface JsonMachine {
  feed(unit: number): JsonStep;
  /** Whether a line break stood inside a string, which strict JSON forbids. */
  readonly hasRawBreak: boolean;
}

export interface JsonMachineOptions {
  /** Takes line breaks and tabs inside strings. */
  readonly rawBreaks: boolean;
  /** A key of the outermost object; false gives the object up. */
  readonly onKey?: (key: string) => boolean;
}

type Expected = "value" | "item" | "key" | "first-key" | "colon" | "comma" | "string" | "scalar";

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const scalar = /^(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)$/;
/** Longer numbers are no numbers that a tool could take. */
const longestScalar = 400;
const longestKey = 64;

interface Reading {
  readonly options: JsonMachineOptions;
  /** Closing units of what is open. */
  readonly open: number[];
  expected: Expected;
  isKey: boolean;
  escape: number;
  token: string;
  hasRawBreak: boolean;
}

export function createJsonMachine(options: JsonMachineOptions): JsonMachine {
  const reading: Reading = {
    options,
    open: [],
    expected: "value",
    isKey: false,
    escape: 0,
    token: "",
    hasRawBreak: false,
  };
  return {
    feed: (unit) => feed(reading, unit),
    get hasRawBreak() {
      return reading.hasRawBreak;
    },
  };
}

function feed(reading: Reading, unit: number): JsonStep {
  if (reading.expected === "string") return feedString(reading, unit);
  if (reading.expected === "scalar") {
    if (!isSpace(unit) && unit !== comma && unit !== closeBrace && unit !== closeBracket) {
      reading.token += String.fromCharCode(unit);
      return reading.token.length > longestScalar ? "error" : "more";
    }
    if (!scalar.test(reading.token)) return "error";
    reading.expected = "comma";
  }
  if (isSpace(unit)) return "more";
  switch (reading.expected) {
    case "colon":
      reading.expected = "value";
      return unit === colon ? "more" : "error";
    case "comma":
      if (unit !== comma) return close(reading, unit);
      reading.expected = reading.open.at(-1) === closeBrace ? "key" : "value";
      return "more";
    case "first-key":
    case "key":
      if (unit === quote) return openString(reading, true);
      return reading.expected === "first-key" ? close(reading, unit) : "error";
    case "item":
      return unit === closeBracket ? close(reading, unit) : openValue(reading, unit);
    case "value":
      return openValue(reading, unit);
  }
}

function openValue(reading: Reading, unit: number): JsonStep {
  if (unit === openBrace || unit === openBracket) {
    reading.open.push(unit === openBrace ? closeBrace : closeBracket);
    reading.expected = unit === openBrace ? "first-key" : "item";
    return "more";
  }
  // Only objects and arrays can be calls.
  if (reading.open.length === 0) return "error";
  if (unit === quote) return openString(reading, false);
  reading.expected = "scalar";
  reading.token = String.fromCharCode(unit);
  return /[-0-9tfn]/.test(reading.token) ? "more" : "error";
}

function close(reading: Reading, unit: number): JsonStep {
  if (reading.open.at(-1) !== unit) return "error";
  reading.open.pop();
  reading.expected = "comma";
  return reading.open.length === 0 ? "done" : "more";
}

function openString(reading: Reading, isKey: boolean): JsonStep {
  reading.expected = "string";
  reading.isKey = isKey;
  reading.token = "";
  return "more";
}

function feedString(reading: Reading, unit: number): JsonStep {
  if (reading.escape > 0) return feedEscape(reading, unit);
  if (unit === quote) {
    reading.expected = reading.isKey ? "colon" : "comma";
    const isOutermostKey = reading.isKey && reading.open.length === 1;
    return isOutermostKey && reading.options.onKey?.(reading.token) === false ? "error" : "more";
  }
  if (unit === backslash) reading.escape = 1;
  if (unit < 0x20) {
    if (!reading.options.rawBreaks || !isSpace(unit)) return "error";
    reading.hasRawBreak = true;
  }
  if (reading.isKey && reading.open.length === 1 && reading.token.length < longestKey) {
    reading.token += String.fromCharCode(unit);
  }
  return "more";
}

/** `escape` is 1 behind the backslash and 2 to 5 in the four digits of `\u`. */
function feedEscape(reading: Reading, unit: number): JsonStep {
  const letter = String.fromCharCode(unit);
  if (reading.escape === 1) {
    reading.escape = letter === "u" ? 2 : 0;
    return '"\\/bfnrtu'.includes(letter) ? "more" : "error";
  }
  reading.escape = reading.escape === 5 ? 0 : reading.escape + 1;
  return /[0-9a-fA-F]/.test(letter) ? "more" : "error";
}
