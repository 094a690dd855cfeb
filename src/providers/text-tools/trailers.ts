/** Takes the text after a block that belongs to its calls: closing tags, stop tokens, an extra bracket. */

import { given } from "../../shared/given.ts";
import { notComplete } from "./arguments/known-tools.ts";
import type { DetectorEvent } from "./detection.ts";
import type { Findings } from "./findings.ts";
import { createLiteralTable, isSpace, type LiteralTable } from "./syntax/literal.ts";

/** A block that has been read to its end, but is not reported yet. */
export interface ClosedBlock {
  readonly findings: Exclude<Findings, null>[number][];
  readonly trailers: LiteralTable;
  /** The trailer that must follow for the calls to be complete. */
  wrapper: string | null;
}

export function closedBlockOf(
  findings: Exclude<Findings, null>,
  trailers: readonly string[],
  wrapper: string | null,
): ClosedBlock {
  return { findings: [...findings], trailers: createLiteralTable(trailers), wrapper };
}

/** A trailer after more white space than this does not count. */
const longestGap = 64;

/** Returns the place after the next trailer, `maybe` if it needs more text, or null if there is none. */
export function takeTrailer(
  closed: ClosedBlock,
  input: string,
  at: number,
  ended: boolean,
): number | "maybe" | null {
  let next = at;
  while (next < input.length && isSpace(input.charCodeAt(next))) next += 1;
  if (next - at > longestGap) return null;
  if (next === input.length) return ended ? null : "maybe";
  const trailer = closed.trailers.match(input, next, ended);
  const last = closed.findings.at(-1);
  if (trailer === "maybe") return "maybe";
  if (trailer === null || last === undefined) return null;
  const end = next + trailer.length;
  closed.findings[closed.findings.length - 1] = { ...last, raw: last.raw + input.slice(at, end) };
  if (trailer === closed.wrapper) closed.wrapper = null;
  return end;
}

/** The events to report. If the answer was cut off, a call inside an open wrapper does not count. */
export function finishedFindings(closed: ClosedBlock, isCutOff: boolean): DetectorEvent[] {
  if (!isCutOff || closed.wrapper === null) return closed.findings;
  const reason = `This tool call cannot be read: ${notComplete}.`;
  return closed.findings.map(({ raw, salvaged }) => ({
    type: "malformed",
    raw,
    reason,
    ...given({ salvaged }),
  }));
}
