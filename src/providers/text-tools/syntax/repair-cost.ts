/**
 * How much work a repair may be. What jsonrepair costs grows with the square of what stands outside strings, and with
 * the cube of the text where nobody can say at once where a string ends: eight kilobytes can take it seconds.
 */
import { isSpace } from "./literal.ts";

/** Units outside strings when every string ends plainly, so that a long file as an argument is cheap. */
const mostOutside = 8192;
/** Units of a text whose strings do not. */
const mostUnclear = 2048;
/** Of both, in one answer. */
const mostTogether = 16_384;

/** What all repairs of one answer may cost together. */
export interface RepairBudget {
  /** Takes the cost of this text; false when it is too much. */
  spend(text: string): boolean;
}

export function createRepairBudget(): RepairBudget {
  let left = mostTogether;
  return {
    spend(text) {
      const outside = unitsOutsideStrings(text);
      const cost = outside ?? text.length;
      if (cost > (outside === null ? mostUnclear : mostOutside) || cost > left) return false;
      left -= cost;
      return true;
    },
  };
}

const otherQuotes = "`´‘’“”";

/** Null when a quote stands where no string can begin or end. */
function unitsOutsideStrings(text: string): number | null {
  let count = 0;
  let last = "";
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"' || character === "'") {
      if (last !== "" && !"{[,:".includes(last)) return null;
      const end = closingQuote(text, at);
      if (end === null) return null;
      at = end;
    } else if (otherQuotes.includes(character)) {
      return null;
    } else {
      count += 1;
    }
    if (!isSpace(text.charCodeAt(at))) last = text.charAt(at);
    at += 1;
  }
  return count;
}

/** Where the string that begins at `start` ends; null unless something of JSON follows it. */
function closingQuote(text: string, start: number): number | null {
  const quote = text.charAt(start);
  let end = start + 1;
  while (end < text.length && text.charAt(end) !== quote) end += text.charAt(end) === "\\" ? 2 : 1;
  if (end >= text.length) return null;
  let next = end + 1;
  while (next < text.length && isSpace(text.charCodeAt(next))) next += 1;
  return next >= text.length || ",:]}".includes(text.charAt(next)) ? end : null;
}
