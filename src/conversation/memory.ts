/** Which exchanges are old: sent as their question and their summary (format, section 10). */
import type { Answer, Exchange } from "../transcript/types.ts";

/**
 * How many of the oldest of `finished` exchanges are old, when `max` are sent in full. The border moves in
 * jumps of a quarter of `max`, so that most requests begin like the one before and prompt caches stay warm.
 */
export function oldBorder(finished: number, max: number): number {
  const jump = Math.max(1, Math.floor(max / 4));
  return jump * Math.floor(Math.max(0, finished - max) / jump);
}

/** The exchanges above the one asked that are old and have a summary to send in their place, by index. */
export function summarisedExchanges(
  above: readonly Exchange[],
  maxFullExchanges: number,
): ReadonlyMap<number, string> {
  const finished = above.filter(({ answer }) => answer !== null && isFinished(answer));
  const old = finished.slice(0, oldBorder(finished.length, maxFullExchanges));
  const summaries = old.map(({ index, answer }) => [index, answer?.summary?.trim() ?? ""] as const);
  return new Map(summaries.filter(([, summary]) => summary !== ""));
}

/** The person went on below it, so a stopped answer is as finished as it will be; an empty one is none. */
function isFinished(answer: Answer): boolean {
  return answer.steps.some(({ blocks }) => blocks.length > 0);
}
