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
  /** The fenced lines as they stand; that format had no escape. */
  readonly body: string;
}

const headPattern = /^[ \t]*(\S+)[ \t]+id=(\S+)(?:[ \t]+error=(true|false))?[ \t]*$/;

/** Finds the first bare fence of exactly this length at or after line `from`; null when there is none. */
export type ClosingFences = (length: number, from: number) => number | null;

/**
 * A finder for these lines that remembers what it found, so that it looks at a line at most once per
 * length of fence, however many blocks are not closed.
 */
export function closingFences(lines: readonly string[]): ClosingFences {
  const found = new Map<number, { readonly from: number; readonly closer: number | null }>();
  return (length, from) => {
    const known = found.get(length);
    if (known !== undefined && from >= known.from) {
      if (known.closer === null || known.closer >= from) return known.closer;
    }
    const fence = "`".repeat(length);
    let closer: number | null = null;
    for (let line = from; line < lines.length && closer === null; line += 1) {
      const text = lines[line] ?? "";
      if (text.startsWith(fence) && isBareFence(text, length)) closer = line;
    }
    found.set(length, { from, closer });
    return closer;
  };
}

function isBareFence(text: string, length: number): boolean {
  const closing = openingFence(text);
  return closing !== null && closing.length === length && closesFence(text, closing);
}

/**
 * Reads the block whose marker stands at `line`; null when it is text: no `name id=ID`, or no body that
 * opens on the very next line and is closed.
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
