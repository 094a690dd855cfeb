/** Collects many small reasons to write into at most one write per frame. */

/** Time as the frames see it; tests bring their own. */
export interface Clock {
  /** Milliseconds, only ever growing. */
  now(): number;
  /** Runs `action` once, after so many milliseconds; returns what calls it off. */
  after(milliseconds: number, action: () => void): () => void;
}

const systemClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};

export interface FrameWriter {
  /** There is something to write: at once when the last frame is over and its write was answered, else then. */
  wake(): void;
  /** Writes once more and waits for it; nothing is written after. Rejects with the error of a write that failed. */
  finish(): Promise<void>;
  /** Writes nothing more; a write under way is not waited for. */
  stop(): void;
}

/**
 * `write` is called with nobody else in it: the next call waits until its promise is settled and `intervalMs`
 * milliseconds have passed since the last one began. After a failed write nothing more is written.
 */
export function createFrameWriter(
  write: () => Promise<unknown>,
  { intervalMs = 16, clock = systemClock }: { intervalMs?: number; clock?: Clock } = {},
): FrameWriter {
  let wanted = false;
  let ended = false;
  let nextAt = Number.NEGATIVE_INFINITY;
  let callOff: (() => void) | null = null;
  let isWriting = false;
  let written: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | null = null;

  const frame = async (): Promise<void> => {
    wanted = false;
    isWriting = true;
    nextAt = clock.now() + intervalMs;
    try {
      await write();
    } catch (error) {
      failure ??= { error };
    } finally {
      isWriting = false;
    }
    plan();
  };
  const plan = (): void => {
    if (!wanted || ended || failure || isWriting || callOff) return;
    const wait = nextAt - clock.now();
    if (wait <= 0) {
      written = frame();
      return;
    }
    callOff = clock.after(wait, () => {
      callOff = null;
      plan();
    });
  };
  const stop = (): void => {
    ended = true;
    callOff?.();
    callOff = null;
  };
  return {
    wake() {
      wanted = true;
      plan();
    },
    async finish() {
      const isFirst = !ended;
      stop();
      await written;
      if (isFirst && !failure) await frame();
      if (failure) throw failure.error;
    },
    stop,
  };
}
