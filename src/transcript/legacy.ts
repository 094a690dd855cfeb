/** Reads blocks of calls and results written by the Lua Parley (`🔧:`, `📎:`), one at a time (format, section 1). */
import { closesFence, openingFence } from "./code.ts";
import { markerAt } from "./markers.ts";
import type { LineRange } from "./transcript.ts";

/** A `🔧:` or `📎:` block of the Lua Parley (format, section 1). */
export interface LegacyBlock {
  readonly kind: "call" | "result";
  readonly name: string;
  readonly id: string;
  readonly isError: boolean;
  readonly range: LineRange;
  /** The fenced lines verbatim; that format had no escape. */
  readonly body: string;
}

const headPattern = /^[ \t]*(\S+)[ \t]+id=(\S+)(?:[ \t]+error=(true|false))?[ \t]*$/;

/** Finds the first bare fence of exactly this length at or after line `from`; null when there is none. */
export type ClosingFences = (length: number, from: number) => number | null;

/** Returns a finder for these lines that looks at each of them once, however many blocks are unclosed. */
export function closingFences(lines: readonly string[]): ClosingFences {
  let places: ReadonlyMap<number, readonly number[]> | null = null;
  return (length, from) => {
    places ??= bareFences(lines);
    return firstFrom(places.get(length) ?? [], from);
  };
}

/** Lines of bare fences by their length, in order. */
function bareFences(lines: readonly string[]): ReadonlyMap<number, readonly number[]> {
  const places = new Map<number, number[]>();
  for (const [line, text] of lines.entries()) {
    const length = text.startsWith("```") ? (/^`+/.exec(text)?.[0].length ?? 0) : 0;
    if (length === 0 || !isBareFence(text, length)) continue;
    const known = places.get(length);
    if (known === undefined) places.set(length, [line]);
    else known.push(line);
  }
  return places;
}

/** The first of these ascending numbers that is not below `from`; a binary search. */
function firstFrom(numbers: readonly number[], from: number): number | null {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return numbers[low] ?? null;
}

function isBareFence(text: string, length: number): boolean {
  const closing = openingFence(text);
  return closing !== null && closing.length === length && closesFence(text, closing);
}

/**
 * Parses the block whose marker is at `line`; null when it is text: no `name id=ID`, or no body that opens on the very
 * next line and is closed.
 */
export function parseLegacy(
  lines: readonly string[],
  line: number,
  closers: ClosingFences,
): LegacyBlock | "unclosed" | null {
  const text = lines[line] ?? "";
  const marker = markerAt(text);
  if (marker === null) return null;
  const head = headPattern.exec(text.slice(marker.text.length));
  const opener = lines[line + 1] ?? "";
  const fence = opener.startsWith("```") ? openingFence(opener) : null;
  if (head === null || fence === null) return null;
  const closer = closers(fence.length, line + 2);
  if (closer === null) return "unclosed";
  return {
    kind: marker.name === "legacy-call" ? "call" : "result",
    name: head[1] ?? "",
    id: head[2] ?? "",
    isError: head[3] === "true",
    range: { start: line, end: closer + 1 },
    body: lines.slice(line + 2, closer).join("\n"),
  };
}
