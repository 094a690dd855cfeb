/** Writes text as it arrives, within a limit of writes per second, and never later than a frame after it came. */

/** The clock of the frames; tests bring their own. */
export interface Clock {
  /** Milliseconds, never going back. */
  now(): number;
  /** Runs `action` once, after that many milliseconds; returns a function that cancels it. */
  after(milliseconds: number, action: () => void): () => void;
  /** Runs `action` once, as soon as all input that has arrived is handled; returns a function that cancels it. */
  soon(action: () => void): () => void;
}

const systemClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
  soon: (action) => {
    const immediate = setImmediate(action);
    return () => clearImmediate(immediate);
  },
};

/** The longest that text waits, in milliseconds. Text that comes this long after a write is written at once. */
export const frameMs = 16;
/** One write is earned in this many milliseconds: a little more than a frame, at the cost of text that comes often. */
const earnMs = 18;
/** How many earned writes are kept: bursts are shown early, and no second has more than these in addition. */
export const keptWrites = 3;
/** Text that arrives sooner than this after a write belongs to its burst, and is written with the burst's rest. */
const burstMs = 4;

/** What the next write depends on of those before it; milliseconds of the clock. */
interface Pace {
  readonly writtenAt: number;
  /** From then on a write is earned. */
  readonly earnedAt: number;
}

/**
 * When to write text whose oldest part came at `since`. If a write is earned, the text uses it. Otherwise the text does
 * not wait until one is earned, which is in the middle between two parts, but for the next part that finds one: then
 * that part does not wait at all.
 */
function dueAt({ writtenAt, earnedAt }: Pace, since: number, now: number): number {
  const mayGo = now >= earnedAt || now - writtenAt >= frameMs;
  return mayGo ? writtenAt + burstMs : since + frameMs;
}

/** Pays for a write with an earned one; a write that was not earned yet leaves no debt. */
function paid({ earnedAt }: Pace, now: number): Pace {
  const kept = Math.max(earnedAt, now - (keptWrites - 1) * earnMs);
  return { writtenAt: now, earnedAt: Math.min(kept, now) + earnMs };
}

export interface FrameWriter {
  /** A part arrived that is to be written. */
  wake(): void;
  /** Writes once more and waits for it; writes nothing afterwards. Rejects with the error of a write that failed. */
  finish(): Promise<void>;
  /** Writes nothing more; does not wait for a write in progress. */
  stop(): void;
}

/**
 * `write` is never called while it runs: the next call waits until its promise is settled. After a failed write nothing
 * more is written.
 */
export function createFrameWriter(
  write: () => Promise<unknown>,
  clock: Clock = systemClock,
): FrameWriter {
  let pace: Pace = { writtenAt: Number.NEGATIVE_INFINITY, earnedAt: Number.NEGATIVE_INFINITY };
  /** When the oldest waiting part came; null when none waits. */
  let since: number | null = null;
  let ended = false;
  /** The timer that is set. It stays when its text is written earlier, and then checks what is waiting. */
  let timer: { readonly at: number; readonly callOff: () => void } | null = null;
  /**
   * Cancels a write that waits for other input that came with its text: one read of TLS yields each record separately.
   */
  let callOffSoon: (() => void) | null = null;
  let isWriting = false;
  let written: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | null = null;

  const frame = async (now: number): Promise<void> => {
    since = null;
    isWriting = true;
    pace = paid(pace, now);
    try {
      await write();
    } catch (error) {
      failure ??= { error };
    } finally {
      isWriting = false;
    }
    if (since !== null) plan(clock.now(), writeNow);
  };
  const writeNow = (): void => {
    callOffSoon?.();
    callOffSoon = null;
    written = frame(clock.now());
  };
  const writeSoon = (): void => {
    callOffSoon ??= clock.soon(writeNow);
  };
  const plan = (now: number, go: () => void): void => {
    if (since === null || ended || failure || isWriting) return;
    const due = dueAt(pace, since, now);
    if (due <= now) go();
    else lookAgain(due, now);
  };
  const lookAgain = (at: number, now: number): void => {
    if (timer !== null && timer.at <= at) return;
    timer?.callOff();
    const callOff = clock.after(Math.ceil(at - now), () => {
      timer = null;
      plan(clock.now(), writeNow);
    });
    timer = { at, callOff };
  };
  const stop = (): void => {
    ended = true;
    timer?.callOff();
    timer = null;
    callOffSoon?.();
    callOffSoon = null;
  };
  return {
    wake() {
      const now = clock.now();
      since ??= now;
      plan(now, writeSoon);
    },
    async finish() {
      const isFirst = !ended;
      stop();
      await written;
      if (isFirst && !failure) await frame(clock.now());
      if (failure) throw failure.error;
    },
    stop,
  };
}
