/** What reads one block, from its opener on. */
import type { Reading } from "./context.ts";
import type { DetectorFinish } from "./types.ts";

/**
 * `delimited`: the model was told to write this, so a wrong one goes back to it. `marked`: the same
 * when it names a tool that exists. `plain`: whatever is no call is text.
 */
export type Policy = "delimited" | "marked" | "plain";

export interface BlockReader {
  /** Takes the next unit; true when it is known where the block ends. */
  feed(unit: number): boolean;
  /** Valid after `feed` said true: the units of the block, its opener included. What is behind them is read again. */
  readonly end: number;
  readonly policy: Policy;
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
export type Openers = Map<string, OpenBlock>;

export interface BlockOptions {
  /** Units before those that are fed. */
  readonly offset: number;
  readonly policy: Policy;
  readonly trailers?: readonly string[];
  readonly wrapper?: string | null;
}
