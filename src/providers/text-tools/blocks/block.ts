/** Reads one block, starting at its opener. */
import type { Reading } from "../arguments/known-tools.ts";
import type { DetectorFinish } from "../detection.ts";
import { createMatcher, isSpace } from "../syntax/literal.ts";
import { createStringTracker } from "../syntax/strings.ts";

/**
 * What happens to a malformed block. `delimited`: the model was asked for this form, so it gets an error. `marked`: it
 * gets one if the block names a tool that exists. `plain`: the block is text, unless it was clearly meant as a call.
 */
export type BlockPolicy = "delimited" | "marked" | "plain";

export interface BlockReader {
  /** Takes the next code unit; returns true once the end of the block is known. */
  feed(unit: number): boolean;
  /** Valid after `feed` returned true: the block's length with its opener. What was read beyond it is read again. */
  readonly end: number;
  readonly policy: BlockPolicy;
  /** Whether the model was asked for this form, if the policy does not imply it: JSON without delimiters. */
  readonly isAsked?: boolean;
  /** Reads the code units up to `end`; null if they are text. */
  conclude(raw: string): Reading | null;
  /** Where a block that never closed could still end; 0 if nowhere. */
  fallback(finish: DetectorFinish): number;
  /** Texts that may follow the block and belong to the call. */
  readonly trailers: readonly string[];
  /** The trailer that must follow, because its opening counterpart is before the call. */
  readonly wrapper: string | null;
}

/** The place of an opener in the text. */
export interface Place {
  readonly isLineStart: boolean;
}

export type OpenBlock = (place: Place) => BlockReader;

/** Readers, keyed by their openers. */
export type Openers = Readonly<Record<string, OpenBlock>>;

/** Feeds a reader the text that was already read to choose it. */
export function feedOpener(reader: BlockReader, text: string): BlockReader {
  for (let at = 0; at < text.length; at += 1) reader.feed(text.charCodeAt(at));
  return reader;
}

export interface BlockOptions {
  /** Number of code units before the first one that is fed. */
  readonly offset: number;
  readonly policy: BlockPolicy;
  readonly trailers?: readonly string[];
  readonly wrapper?: string | null;
}

export interface ClosedBlockOptions extends BlockOptions {
  readonly closer: string;
  /** Reads the block without its closer; the content starts after `offset` code units. */
  readonly read: (raw: string) => Reading | null;
  /** The string delimiter; null if there are no strings. */
  readonly quote?: string | null;
  /** If the content begins differently and no closer follows soon, the block is text. */
  readonly begins?: RegExp;
  /** The closer is a stop token, which servers may omit. */
  readonly isStopToken?: boolean;
}

/** In code units. After more prose than this, the opener counts as prose, too. */
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

export interface OpenedBlock {
  readonly reader: BlockReader;
  /** The part from earlier chunks. */
  readonly held: string[];
  heldLength: number;
  /** Where the rest of it begins in the current input. */
  start: number;
  bytes: number;
  isPending: boolean;
  readonly isFenced: boolean;
  /** It has been reported as malformed, and only its end is still needed. */
  isOversized: boolean;
}

export function openBlock(
  reader: BlockReader,
  start: number,
  bytes: number,
  isFenced: boolean,
): OpenedBlock {
  return {
    reader,
    held: [],
    heldLength: 0,
    start,
    bytes,
    isPending: false,
    isFenced,
    isOversized: false,
  };
}

/** Called before the input is replaced: saves the part that belongs to the block. */
export function holdBlock(block: OpenedBlock, input: string): void {
  if (block.start < input.length) block.held.push(input.slice(block.start));
  block.heldLength += input.length - block.start;
  block.start = 0;
}

export function forgetBlock(block: OpenedBlock, start: number): void {
  block.held.length = 0;
  block.heldLength = 0;
  block.start = start;
  block.bytes = 0;
}

/** Number of UTF-8 bytes for a code unit. */
export function bytesOf(unit: number): number {
  if (unit < 0x80) return 1;
  // Each half of a surrogate pair counts as two of the pair's four bytes.
  return unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
}
