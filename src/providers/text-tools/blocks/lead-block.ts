/** Blocks whose opener alone does not say what they are: the next text decides. */

import { isSpace } from "../syntax/literal.ts";
import type { BlockPolicy, BlockReader } from "./block.ts";

/** What to read the block as, `wait` for one more unit, or null for text. */
export type Choice = BlockReader | "wait" | null;

const longestOpener = 64;

/**
 * `choose` gets the text behind the opener, without leading space, and the place where it begins; it
 * returns a reader that has to be fed nothing of that text again. While it waits, the block is `undecided`.
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
      // A page of white space leads to nothing.
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

/** Reads on as soon as one of the openers stands there. */
export function chooseOpener(
  openers: Readonly<Record<string, (offset: number) => BlockReader>>,
): (seen: string, start: number) => Choice {
  return (seen, start) => {
    const open = openers[seen];
    if (open) return open(start + seen.length);
    return Object.keys(openers).some((opener) => opener.startsWith(seen)) ? "wait" : null;
  };
}
