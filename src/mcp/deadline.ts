/** The time limit of a call. It is paused while the user answers a question for the call. */
import { longestTimer, sleptDuring } from "../shared/waiting.ts";

export interface Deadline {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** Restarts the timeout after a progress report, within the maximum for the whole call. */
  reset(): void;
  /** Pauses nest: each needs its own `resume`. */
  pause(): void;
  resume(): void;
  end(): void;
}

/**
 * `timeoutMs`: milliseconds without a message from the server; `maximumMs`: milliseconds in total. Paused time counts
 * in neither.
 */
export function createDeadline(timeoutMs: number, maximumMs: number): Deadline {
  const controller = new AbortController();
  let left = timeoutMs;
  let leftInAll = maximumMs;
  let pauses = 0;
  let startedAt = 0;
  let wait = 0;
  let timer: NodeJS.Timeout | null = null;
  let isEnded = false;

  const passedMs = () => performance.now() - startedAt;
  const isLate = () => sleptDuring(wait, passedMs());
  const start = () => {
    if (isEnded || pauses > 0) return;
    startedAt = performance.now();
    wait = Math.max(0, Math.min(left, leftInAll, longestTimer));
    timer = setTimeout(() => {
      // The machine slept: messages that arrived before that are only read after this timer, so it starts again.
      if (isLate()) return start();
      isEnded = true;
      controller.abort(new Error("The time for the call is over."));
    }, wait);
  };
  const halt = () => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    const passed = isLate() ? 0 : passedMs();
    left -= passed;
    leftInAll -= passed;
  };
  start();
  return {
    signal: controller.signal,
    reset() {
      halt();
      left = timeoutMs;
      start();
    },
    pause() {
      halt();
      pauses += 1;
    },
    resume() {
      pauses -= 1;
      start();
    },
    end() {
      halt();
      isEnded = true;
    },
  };
}
