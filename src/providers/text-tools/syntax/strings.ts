/** Tracks whether a place is inside a string, where closing tags are just text. */
import { createMatcher, isSpace } from "./literal.ts";

const [backslash, openBrace] = [0x5c, 0x7b];

/** Returns a function that says after each code unit whether it is inside a string; without a quote, never. */
export function createStringTracker(quote: string | null): (unit: number) => boolean {
  if (quote === null) return () => false;
  const matcher = createMatcher(quote);
  const escapes = quote.length === 1;
  let isOpen = false;
  let isEscaped = false;
  return (unit) => {
    if (isEscaped) {
      isEscaped = false;
      return isOpen;
    }
    if (isOpen && escapes && unit === backslash) isEscaped = true;
    if (matcher.feed(unit)) isOpen = !isOpen;
    return isOpen;
  };
}

export interface JsonStrings {
  /** True once the text turned out to be a JSON object; only then does it have strings. */
  readonly isJson: boolean;
  /** Whether the code unit is inside a string. */
  feed(unit: number): boolean;
}

/** For content that may be JSON or raw text, which its first code unit other than white space decides. */
export function createJsonStrings(takesJson: boolean): JsonStrings {
  const inString = createStringTracker('"');
  let isJson: boolean | null = takesJson ? null : false;
  return {
    get isJson() {
      return isJson === true;
    },
    feed(unit) {
      if (isJson === null && !isSpace(unit)) isJson = unit === openBrace;
      return isJson === true && inString(unit);
    },
  };
}
