/** Blocks that end with a fixed text, which counts for nothing inside a string. */
import type { BlockOptions, BlockReader } from "./block.ts";
import type { Reading } from "./context.ts";
import { createMatcher, isSpace } from "./literal.ts";
import { createStringTracker } from "./strings.ts";

export interface ClosedBlockOptions extends BlockOptions {
  readonly closer: string;
  /** What the block holds, without its closer; `offset` units of it stand before the content. */
  readonly read: (raw: string) => Reading | null;
  /** What begins and ends a string; null when there are none. */
  readonly quote?: string | null;
  /** Gives up when the content begins otherwise and no closer comes soon: then it was prose. */
  readonly begins?: RegExp;
  /** The closer is a stop token, which servers leave out. */
  readonly isStopToken?: boolean;
}

/** So much prose may stand between the delimiters before they are taken for prose themselves. */
const longestProse = 512;

export function closedBlock(options: ClosedBlockOptions): BlockReader {
  const closer = createMatcher(options.closer);
  const inString = createStringTracker(options.quote === undefined ? '"' : options.quote);
  let count = options.offset;
  let end = 0;
  let soft = 0;
  let isProse: boolean | null = options.begins ? null : false;
  let gaveUp = false;

  return {
    policy: options.policy,
    trailers: options.trailers ?? [],
    wrapper: options.wrapper ?? null,
    get end() {
      return end;
    },
    feed(unit) {
      count += 1;
      if (isProse === null && !isSpace(unit)) {
        isProse = options.begins?.test(String.fromCharCode(unit)) === false;
      }
      const isInString = inString(unit);
      const isClosed = closer.feed(unit);
      if (isClosed && (!isInString || isProse)) {
        end = count;
        return true;
      }
      if (isClosed && soft === 0) soft = count;
      if (isProse && count > options.offset + longestProse) {
        gaveUp = true;
        end = options.offset;
        return true;
      }
      return false;
    },
    conclude(raw) {
      if (gaveUp) return null;
      const isWhole = raw.endsWith(options.closer);
      const reading = options.read(isWhole ? raw.slice(0, -options.closer.length) : raw);
      if (isWhole || reading === null || "reason" in reading) return reading;
      return { calls: reading.calls.map((call) => ({ ...call, repaired: true })) };
    },
    fallback(finish) {
      if (soft > 0) return soft;
      return finish === "stop" && options.isStopToken ? count : 0;
    },
  };
}
