/**
 * Blocks of unescaped values between tags. A value may contain the closing tag, so that tag only ends the block where
 * the structure allows it.
 */

import type { Reading } from "../arguments/known-tools.ts";
import { createMatcher, isSpace } from "../syntax/literal.ts";
import { createJsonStrings } from "../syntax/strings.ts";
import type { BlockOptions, BlockReader } from "./block.ts";

export interface XmlBlockOptions extends BlockOptions {
  readonly closer: string;
  /** The closing tag of a value; the block may only close directly after it. Null: anywhere. */
  readonly inner: string | null;
  /** An opener inside a value, which then needs its own closer. */
  readonly nested: string;
  /** Ends the head, which contains the name; null if there is no head. */
  readonly headEnd: string | null;
  /** Returns false if the block is text. */
  readonly acceptsHead?: (head: string) => boolean;
  /** Between values, a line break may be written as the two characters `\n`. */
  readonly takesWrittenBreaks?: boolean;
  /** The content may be JSON instead, whose strings may contain the closing tag. */
  readonly takesJson?: boolean;
  readonly read: (head: string, body: string, isNested: boolean) => Reading | null;
}

const longestHead = 200;
const [backslash, letterN] = [0x5c, 0x6e];

/** Counts code units other than white space since the last value closed, or since the head. */
function createSolid(takesWrittenBreaks: boolean) {
  let count = 0;
  let last = 0;
  return {
    get count() {
      return count;
    },
    restart() {
      count = 0;
    },
    see(unit: number) {
      // The backslash was counted before it was known what follows it.
      if (takesWrittenBreaks && last === backslash && unit === letterN) count -= 1;
      else if (!isSpace(unit)) count += 1;
      last = unit;
    },
  };
}

export function xmlBlock(options: XmlBlockOptions): BlockReader {
  const closer = createMatcher(options.closer);
  const inner = options.inner === null ? null : createMatcher(options.inner);
  const nested = createMatcher(options.nested);
  let count = options.offset;
  let end = 0;
  let head = "";
  let bodyStart = options.headEnd === null ? count : 0;
  let depth = 0;
  let isNested = false;
  const solid = createSolid(options.takesWrittenBreaks === true);
  let soft = 0;
  let isText = false;
  const strings = createJsonStrings(options.takesJson === true);
  let isInString = false;

  function over(at: number, gaveUp: boolean): true {
    end = at;
    isText = gaveUp;
    return true;
  }

  function feedHead(unit: number): boolean {
    const character = String.fromCharCode(unit);
    if (character !== options.headEnd) {
      head += character;
      return (head.length > longestHead || character === "<") && over(count - 1, true);
    }
    bodyStart = count;
    return options.acceptsHead?.(head) === false && over(count, true);
  }

  function closes(): boolean {
    if (strings.isJson) return !isInString;
    const isInPlace = inner === null || solid.count === options.closer.length;
    if (isInPlace && depth === 0) return true;
    if (isInPlace) depth -= 1;
    return false;
  }

  return {
    policy: options.policy,
    trailers: options.trailers ?? [],
    wrapper: options.wrapper ?? null,
    get end() {
      return end;
    },
    feed(unit) {
      count += 1;
      if (bodyStart === 0) return feedHead(unit);
      isInString = strings.feed(unit);
      solid.see(unit);
      if (nested.feed(unit) && !strings.isJson) {
        depth += 1;
        isNested = true;
      }
      if (inner?.feed(unit)) solid.restart();
      if (!closer.feed(unit)) return false;
      if (soft === 0) soft = count;
      return closes() && over(count, false);
    },
    conclude(raw) {
      if (isText) return null;
      return options.read(head, raw.slice(bodyStart, -options.closer.length), isNested);
    },
    fallback: () => soft,
  };
}
