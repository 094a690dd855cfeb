/**
 * Reads one JSON object or array, one UTF-16 code unit at a time, and finds where it ends or goes wrong. Common
 * deviations from JSON (single quotes, comments, an extra comma) are recorded as mistakes and read on, so that the end
 * of the object is still found.
 */
import { jsonScalar } from "../../../transcript/strict-json.ts";
import { isSpace } from "./literal.ts";

export type JsonStep = "more" | "done" | "error";

export interface JsonMachine {
  feed(unit: number): JsonStep;
  /** Whether a string contained a line break, which strict JSON forbids. */
  readonly hasRawBreak: boolean;
  /** The first deviation from JSON, without a full stop; null as long as it is valid JSON. */
  readonly mistake: string | null;
  /** Number of open objects and arrays. */
  readonly depth: number;
}

export interface JsonMachineOptions {
  /** Called for each key of the outermost object; returning false gives the object up. */
  readonly onKey?: (key: string) => boolean;
  /** Called for a member of any object when its value begins. */
  readonly onMember?: (key: string, first: string) => void;
  /** Called for a member of any object whose value is a short string. */
  readonly onText?: (key: string, text: string) => void;
}

type Expected =
  | "value"
  | "item"
  | "key"
  | "first-key"
  | "colon"
  | "comma"
  | "string"
  | "scalar"
  | "word"
  | "comment";

const [quote, singleQuote, backslash, comma, colon, lineFeed] = [
  0x22, 0x27, 0x5c, 0x2c, 0x3a, 0x0a,
];
const [slash, hash, star] = [0x2f, 0x23, 0x2a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const scalar = new RegExp(`^(?:${jsonScalar})$`);
const otherScalar = /^(?:True|False|None|undefined|NaN)$/;
const wordUnit = /[\w$-]/;
/** No tool accepts longer numbers. */
const longestScalar = 400;
const longestToken = 128;

/** How a comment in JSON is reported. */
export const commentMistake = "it holds a comment, which JSON does not have";

interface Reading {
  readonly options: JsonMachineOptions;
  /** The closing brackets of what is open, as code units. */
  readonly open: number[];
  expected: Expected;
  isKey: boolean;
  quote: number;
  escape: number;
  token: string;
  /** The member whose value comes next or is being read. */
  member: string;
  /** What was expected before the comment, and its kind: 0 while undecided, else `#` or the unit after the slash. */
  before: Expected;
  comment: number;
  isStar: boolean;
  hasRawBreak: boolean;
  mistake: string | null;
}

export function createJsonMachine(options: JsonMachineOptions = {}): JsonMachine {
  const reading: Reading = {
    options,
    open: [],
    expected: "value",
    isKey: false,
    quote,
    escape: 0,
    token: "",
    member: "",
    before: "value",
    comment: 0,
    isStar: false,
    hasRawBreak: false,
    mistake: null,
  };
  return {
    feed: (unit) => feed(reading, unit),
    get hasRawBreak() {
      return reading.hasRawBreak;
    },
    get mistake() {
      return reading.mistake;
    },
    get depth() {
      return reading.open.length;
    },
  };
}

function feed(reading: Reading, unit: number): JsonStep {
  switch (reading.expected) {
    case "string":
      return feedString(reading, unit);
    case "comment":
      return feedComment(reading, unit);
    case "scalar":
      return feedScalar(reading, unit);
    case "word":
      return feedWord(reading, unit);
    default:
      return feedStructure(reading, unit);
  }
}

function feedStructure(reading: Reading, unit: number): JsonStep {
  if (isSpace(unit)) return "more";
  if ((unit === slash || unit === hash) && reading.open.length > 0) {
    reading.before = reading.expected;
    reading.expected = "comment";
    reading.comment = unit === hash ? hash : 0;
    reading.isStar = false;
    return "more";
  }
  switch (reading.expected) {
    case "colon":
      reading.expected = "value";
      return unit === colon ? "more" : "error";
    case "comma":
      if (unit !== comma) return close(reading, unit);
      reading.expected = reading.open.at(-1) === closeBrace ? "key" : "value";
      return "more";
    case "item":
      return unit === closeBracket ? close(reading, unit) : openValue(reading, unit);
    case "value":
      if (unit === closeBracket && reading.open.at(-1) === closeBracket) {
        return closeBehindComma(reading, unit);
      }
      return openValue(reading, unit);
    default:
      return feedKey(reading, unit);
  }
}

function feedKey(reading: Reading, unit: number): JsonStep {
  if (unit === quote || unit === singleQuote) return openString(reading, unit, true);
  if (unit === closeBrace) {
    return reading.expected === "first-key"
      ? close(reading, unit)
      : closeBehindComma(reading, unit);
  }
  const character = String.fromCharCode(unit);
  if (!/[A-Za-z_$]/.test(character)) return "error";
  reading.expected = "word";
  reading.token = character;
  return "more";
}

function closeBehindComma(reading: Reading, unit: number): JsonStep {
  mistaken(reading, `there is a comma before ${unit === closeBrace ? "}" : "]"}`);
  return close(reading, unit);
}

function mistaken(reading: Reading, mistake: string): void {
  reading.mistake ??= mistake;
}

function openValue(reading: Reading, unit: number): JsonStep {
  const character = String.fromCharCode(unit);
  if (reading.open.at(-1) === closeBrace) reading.options.onMember?.(reading.member, character);
  if (unit === openBrace || unit === openBracket) {
    reading.open.push(unit === openBrace ? closeBrace : closeBracket);
    reading.expected = unit === openBrace ? "first-key" : "item";
    return "more";
  }
  // Only objects and arrays can be calls.
  if (reading.open.length === 0) return "error";
  if (unit === quote || unit === singleQuote) return openString(reading, unit, false);
  reading.expected = "scalar";
  reading.token = character;
  return /[-0-9tfnTFNu]/.test(character) ? "more" : "error";
}

function feedScalar(reading: Reading, unit: number): JsonStep {
  const isOver =
    isSpace(unit) ||
    unit === comma ||
    unit === closeBrace ||
    unit === closeBracket ||
    unit === slash ||
    unit === hash;
  if (!isOver) {
    reading.token += String.fromCharCode(unit);
    return reading.token.length > longestScalar ? "error" : "more";
  }
  if (otherScalar.test(reading.token)) mistaken(reading, `${reading.token} is not a JSON value`);
  else if (!scalar.test(reading.token)) return "error";
  reading.expected = "comma";
  return feedStructure(reading, unit);
}

function feedWord(reading: Reading, unit: number): JsonStep {
  const character = String.fromCharCode(unit);
  if (wordUnit.test(character)) {
    reading.token += character;
    return reading.token.length > longestToken ? "error" : "more";
  }
  if (unit !== colon && unit !== quote && !isSpace(unit)) return "error";
  mistaken(reading, `the key ${reading.token} has no quotes`);
  if (endKey(reading) === "error") return "error";
  return unit === colon ? feedStructure(reading, unit) : "more";
}

function endKey(reading: Reading): JsonStep {
  reading.expected = "colon";
  reading.member = reading.token;
  if (reading.open.length !== 1) return "more";
  return reading.options.onKey?.(reading.token) === false ? "error" : "more";
}

function close(reading: Reading, unit: number): JsonStep {
  if (reading.open.at(-1) !== unit) return "error";
  reading.open.pop();
  reading.expected = "comma";
  return reading.open.length === 0 ? "done" : "more";
}

function openString(reading: Reading, unit: number, isKey: boolean): JsonStep {
  if (unit === singleQuote) mistaken(reading, "a text is in single quotes");
  reading.expected = "string";
  reading.quote = unit;
  reading.isKey = isKey;
  reading.token = "";
  return "more";
}

function feedString(reading: Reading, unit: number): JsonStep {
  if (reading.escape > 0) return feedEscape(reading, unit);
  if (unit === reading.quote) return endString(reading);
  if (unit === backslash) reading.escape = 1;
  if (unit < 0x20) {
    if (!isSpace(unit)) return "error";
    reading.hasRawBreak = true;
  }
  if (reading.token.length < longestToken) reading.token += String.fromCharCode(unit);
  return "more";
}

function endString(reading: Reading): JsonStep {
  if (reading.isKey) return endKey(reading);
  reading.expected = "comma";
  if (reading.open.at(-1) === closeBrace) reading.options.onText?.(reading.member, reading.token);
  return "more";
}

/** `escape` is 1 after the backslash, and 2 to 5 in the four digits of `\u`. */
function feedEscape(reading: Reading, unit: number): JsonStep {
  const letter = String.fromCharCode(unit);
  if (reading.escape === 1) {
    reading.escape = letter === "u" ? 2 : 0;
    if (!'"\\/bfnrtu'.includes(letter)) mistaken(reading, "a backslash in it escapes nothing");
    return "more";
  }
  reading.escape = reading.escape === 5 ? 0 : reading.escape + 1;
  return /[0-9a-fA-F]/.test(letter) ? "more" : "error";
}

function feedComment(reading: Reading, unit: number): JsonStep {
  if (reading.comment === 0) {
    reading.comment = unit;
    mistaken(reading, commentMistake);
    return unit === slash || unit === star ? "more" : "error";
  }
  if (reading.comment === hash) mistaken(reading, commentMistake);
  const isOver = reading.comment === star ? reading.isStar && unit === slash : unit === lineFeed;
  reading.isStar = unit === star;
  if (isOver) reading.expected = reading.before;
  return "more";
}
