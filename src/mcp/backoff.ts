/** How long a server that keeps ending is left alone before it is started again. */
export interface Backoff {
  /** Milliseconds from now; 0: at once, infinite: only when a person says so. */
  waitMs(): number;
  /** The server ended by itself after so many milliseconds, or could not be started. */
  ended(livedMs: number): void;
  /** A person started it: what was before counts for nothing. */
  reset(): void;
}

/** An end after a longer life than this is no sign that the next start ends too. In milliseconds. */
const quickMs = 60_000;
const quickEndsAllowed = 5;
const longestWaitMs = 30_000;

/** `firstWaitMs` follows the first quick end; each further one doubles it. */
export function createBackoff(firstWaitMs: number, now: () => number = Date.now): Backoff {
  let quickEnds = 0;
  let notBefore = 0;
  return {
    waitMs() {
      if (quickEnds >= quickEndsAllowed) return Number.POSITIVE_INFINITY;
      return Math.max(0, notBefore - now());
    },
    ended(livedMs) {
      quickEnds = livedMs < quickMs ? quickEnds + 1 : 0;
      const wait = quickEnds === 0 ? 0 : firstWaitMs * 2 ** (quickEnds - 1);
      notBefore = now() + Math.min(wait, longestWaitMs);
    },
    reset() {
      quickEnds = 0;
      notBefore = 0;
    },
  };
}
