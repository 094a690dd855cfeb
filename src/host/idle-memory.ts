/** Work for idle times of the host: gives memory back, and keeps compiled code for the next start. */

/** Milliseconds without a message and without a turn after which the host counts as idle. */
const quietMs = 5000;
/** Milliseconds until a second collection gives back what the first one freed outside of the heap. */
const againMs = 1000;
/** Less is not worth a collection, which takes 20 ms of a core, or up to 0.2 s in a chat of 10,000 exchanges. */
const worthBytes = 4 * 2 ** 20;

export interface IdleMemoryOptions {
  /** Called before a collection: V8 forgets code that did not run for some collections. */
  readonly keepCode: () => void;
  /** Collects garbage; null where Node was started without `--expose-gc`. */
  readonly collect: (() => void) | null;
  readonly residentBytes: () => number;
  readonly isBusy: () => boolean;
}

/**
 * Node only collects when it needs room: a host that has sent a long chat would keep that memory while it waits for the
 * next question. `used` reports activity.
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
    // If memory is lower now, Node has already given some back.
    kept = Math.min(kept, residentBytes());
    if (collect === null || residentBytes() - kept < worthBytes) return;
    collect();
    wait(againMs, again);
  }
  return { used: () => wait(quietMs, rest) };
}

/**
 * Collects what a start left behind, in two milliseconds of idle time; otherwise Node would do it while the first
 * question is prepared. Does nothing where Node was started without `--expose-gc`.
 */
export function collectYoung(): void {
  globalThis.gc?.({ type: "minor" });
}
