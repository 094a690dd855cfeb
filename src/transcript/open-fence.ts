import { closesFence, type Fence, isBlank, openingFence } from "./code.ts";
import { closeFence, escapeStructure, problemAt } from "./problems.ts";
import type { Problem } from "./types.ts";

/**
 * Follows Markdown fences through the text of one exchange. They decide nothing; a structural marker
 * inside one is reported, once, at the line that opened it (format, section 2).
 */
export interface FenceState {
  fence: Fence | null;
  opener: number;
  reported: boolean;
}

export function noFence(): FenceState {
  return { fence: null, opener: 0, reported: false };
}

/** Takes notice of one line of text. */
export function passLine(state: FenceState, line: string, number: number): void {
  if (state.fence !== null) {
    if (closesFence(line, state.fence)) state.fence = null;
    return;
  }
  state.fence = openingFence(line);
  state.opener = number;
  state.reported = false;
}

/** Where the fence is best closed: below its last line of code, above blank lines. */
function closingPlace(state: FenceState, lines: readonly string[], end: number): number {
  let place = end;
  while (place - 1 > state.opener && isBlank(lines[place - 1] ?? "")) place -= 1;
  return place;
}

/**
 * The report for a structural marker at line `number`, or null when no fence is open there. In an answer
 * a fence was most likely left open; in a question text was most likely pasted.
 */
export function passMarker(
  state: FenceState,
  lines: readonly string[],
  number: number,
  place: "question" | "answer",
): Problem | null {
  if (state.fence === null || state.reported) return null;
  state.reported = true;
  const close = closeFence(state.fence, closingPlace(state, lines, number));
  const asText = escapeStructure(lines, number);
  const message =
    `The fence opened here is still open at the marker on line ${number + 1}, which counts as a marker all the same. ` +
    "Close the fence above it, or put a backslash in front of the marker to make it text.";
  const fixes = place === "answer" ? [close, asText] : [asText, close];
  return problemAt(state.opener, "marker-in-fence", message, fixes);
}

/** The report for a fence that is open at the end of the text, where line `end` would follow. */
export function passEnd(state: FenceState, lines: readonly string[], end: number): Problem | null {
  if (state.fence === null || state.reported) return null;
  state.reported = true;
  const message =
    "The fence opened here is not closed; everything below it in this text counts as code.";
  const fixes = [closeFence(state.fence, closingPlace(state, lines, end))];
  return problemAt(state.opener, "unclosed-fence", message, fixes);
}
