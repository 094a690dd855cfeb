/** What is done while nobody waits for the host: memory is given back, and compiled code kept for the next start. */

/** Milliseconds without a message and without a turn after which nobody waits. */
const quietMs = 5000;
/** What a first collection frees outside of the heap is given back by a second one. */
const againMs = 1000;
/** Less than this is not worth a collection, which takes 20 ms of a core, up to 0.2 s in a chat of 10,000 exchanges. */
const worthBytes = 4 * 2 ** 20;

export interface IdleMemoryOptions {
  /** Before anything is collected: V8 forgets code that was not run for some collections. */
  readonly keepCode: () => void;
  /** Collects all that is not used any more; null where Node was started without `--expose-gc`. */
  readonly collect: (() => void) | null;
  readonly residentBytes: () => number;
  readonly isBusy: () => boolean;
}

/**
 * Node collects when it needs room: a host that has sent a long chat and waits for the next question would keep what
 * that took. `used` says that something happens.
 */
export function watchIdleMemory({ keepCode, collect, residentBytes, isBusy }: IdleMemoryOptions) {
  let timer: NodeJS.Timeout | undefined;
  let kept = residentBytes();

  function wait(milliseconds: number, work: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
    timer.unref();
  }
  function again(): void {
    if (isBusy()) {
      wait(quietMs, rest);
      return;
    }
    collect?.();
    kept = residentBytes();
  }
  function rest(): void {
    if (isBusy()) {
      wait(quietMs, rest);
      return;
    }
    keepCode();
    // What is less now was given back by Node alone.
    kept = Math.min(kept, residentBytes());
    if (collect === null || residentBytes() - kept < worthBytes) return;
    collect();
    wait(againMs, again);
  }
  return { used: () => wait(quietMs, rest) };
}

/**
 * Collects what a start left behind, in two milliseconds that nobody waits for: it would be collected while the first
 * question is made. Does nothing where Node was started without `--expose-gc`.
 */
export function collectYoung(): void {
  globalThis.gc?.({ type: "minor" });
}
