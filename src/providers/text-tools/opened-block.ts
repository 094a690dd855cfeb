/** A block that is being read: its reader, and the text of it that is held back. */
import type { BlockReader } from "./block.ts";

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
