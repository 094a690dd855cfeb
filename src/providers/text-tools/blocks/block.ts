/** What reads one block, from its opener on. */
import type { Reading } from "../arguments/known-tools.ts";
import type { DetectorFinish } from "../detection.ts";
import { createMatcher, isSpace } from "../syntax/literal.ts";
import { createStringTracker } from "../syntax/strings.ts";

/**
 * `delimited`: the model was told to write this, so a wrong one goes back to it. `marked`: the same
 * when it names a tool that exists. `plain`: whatever was not meant as a call of one is text.
 */
export type BlockPolicy = "delimited" | "marked" | "plain";

export interface BlockReader {
  /** Takes the next unit; true when it is known where the block ends. */
  feed(unit: number): boolean;
  /** Valid after `feed` said true: the units of the block, its opener included. What is behind them is read again. */
  readonly end: number;
  readonly policy: BlockPolicy;
  /** Whether the model was asked for this form where its policy does not say so: JSON without delimiters. */
  readonly isAsked?: boolean;
  /** What the units up to `end` are; null for text. */
  conclude(raw: string): Reading | null;
  /** Where a block that never closed could end all the same; 0 for nowhere. */
  fallback(finish: DetectorFinish): number;
  /** Texts that may follow and belong to the call. */
  readonly trailers: readonly string[];
  /** The one of the trailers that has to follow, because its counterpart stands before the call. */
  readonly wrapper: string | null;
}

/** Where an opener stands. */
export interface Place {
  readonly isLineStart: boolean;
}

export type OpenBlock = (place: Place) => BlockReader;

/** The readers by their openers. */
export type Openers = Readonly<Record<string, OpenBlock>>;

/** A reader that has taken the text that was needed to choose it. */
export function fed(reader: BlockReader, text: string): BlockReader {
  for (let at = 0; at < text.length; at += 1) reader.feed(text.charCodeAt(at));
  return reader;
}

export interface BlockOptions {
  /** Units before those that are fed. */
  readonly offset: number;
  readonly policy: BlockPolicy;
  readonly trailers?: readonly string[];
  readonly wrapper?: string | null;
}

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

export interface OpenedBlock {
  readonly reader: BlockReader;
  /** What has come in earlier chunks. */
  readonly held: string[];
  heldLength: number;
  /** Where the rest of it begins in the input. */
  start: number;
  bytes: number;
  isPending: boolean;
  readonly isFenced: boolean;
  /** It is reported as malformed already, and only its end is waited for. */
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

/** Before the input is replaced: what of it belongs to the block. */
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

/** Bytes of UTF-8 that a unit stands for. */
export function bytesOf(unit: number): number {
  if (unit < 0x80) return 1;
  // Halves of a pair are four bytes together.
  return unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
}
