/** Blocks whose opener is ambiguous, so that the text after it decides how they are read. */

import { isSpace } from "../syntax/literal.ts";
import type { BlockPolicy, BlockReader } from "./block.ts";

/** The block's reader, `wait` for one more code unit, or null if it is text. */
export type Choice = BlockReader | "wait" | null;

const longestOpener = 64;

/**
 * `choose` receives the text after the opener, without leading space, and the place where it begins. The reader that it
 * returns must already have been fed that text. While it waits, the block has the policy `undecided`.
 */
export function leadBlock(
  offset: number,
  choose: (seen: string, start: number) => Choice,
  undecided: BlockPolicy = "plain",
): BlockReader {
  let inner: BlockReader | null = null;
  let seen = "";
  let count = offset;
  let end = 0;
  return {
    get policy() {
      return inner?.policy ?? undecided;
    },
    get isAsked() {
      return inner?.isAsked ?? false;
    },
    get trailers() {
      return inner?.trailers ?? [];
    },
    get wrapper() {
      return inner?.wrapper ?? null;
    },
    get end() {
      return inner?.end ?? end;
    },
    feed(unit) {
      if (inner) return inner.feed(unit);
      count += 1;
      // Long white space leads to no call.
      if (seen === "" && isSpace(unit) && count < offset + 200) return false;
      seen += String.fromCharCode(unit);
      const choice = seen.length > longestOpener ? null : choose(seen, count - seen.length);
      if (choice === "wait") return false;
      inner = choice;
      end = count - 1;
      return inner === null;
    },
    conclude: (raw) => inner?.conclude(raw) ?? null,
    fallback: (finish) => inner?.fallback(finish) ?? 0,
  };
}

/** Chooses a reader as soon as the text is one of the openers. */
export function chooseOpener(
  openers: Readonly<Record<string, (offset: number) => BlockReader>>,
): (seen: string, start: number) => Choice {
  return (seen, start) => {
    const open = openers[seen];
    if (open) return open(start + seen.length);
    return Object.keys(openers).some((opener) => opener.startsWith(seen)) ? "wait" : null;
  };
}
