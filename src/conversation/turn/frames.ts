/** Writes text as it arrives, within a number of writes a second, and never later than a frame after it came. */

/** Time as the frames see it; tests bring their own. */
export interface Clock {
  /** Milliseconds, only ever growing. */
  now(): number;
  /** Runs `action` once, after so many milliseconds; returns what calls it off. */
  after(milliseconds: number, action: () => void): () => void;
  /** Runs `action` once, as soon as all is handled that came in already; returns what calls it off. */
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

/** As long as text waits at most, in milliseconds. What comes so long after a write is written at once. */
export const frameMs = 16;
/** A write is earned in so many milliseconds: a little longer than a frame, as text that comes often pays for it. */
const earnMs = 18;
/** So many earned writes are kept: what comes in bursts is seen early, and no second has more than these on top. */
export const keptWrites = 3;
/** What arrives sooner than this after a write comes in one burst with it, and in the next write with its rest. */
const burstMs = 4;

/** What was written, as far as the next write depends on it; milliseconds of the clock. */
interface Pace {
  readonly writtenAt: number;
  /** From then on there is an earned write. */
  readonly earnedAt: number;
}

/**
 * When text is to be written whose oldest part came at `since`. Text that finds an earned write goes with it. Other
 * text does not wait until one is earned, which is in the middle between two parts, but for the next part that finds
 * one: then that part waits for nothing.
 */
function dueAt({ writtenAt, earnedAt }: Pace, since: number, now: number): number {
  const mayGo = now >= earnedAt || now - writtenAt >= frameMs;
  return mayGo ? writtenAt + burstMs : since + frameMs;
}

/** A write is paid with an earned one; one that was not earned yet is no debt. */
function paid({ earnedAt }: Pace, now: number): Pace {
  const kept = Math.max(earnedAt, now - (keptWrites - 1) * earnMs);
  return { writtenAt: now, earnedAt: Math.min(kept, now) + earnMs };
}

export interface FrameWriter {
  /** A part came that is to be written. */
  wake(): void;
  /** Writes once more and waits for it; nothing is written after. Rejects with the error of a write that failed. */
  finish(): Promise<void>;
  /** Writes nothing more; a write under way is not waited for. */
  stop(): void;
}

/**
 * `write` is called with nobody else in it: the next call waits until its promise is settled. After a failed write
 * nothing more is written.
 */
export function createFrameWriter(
  write: () => Promise<unknown>,
  clock: Clock = systemClock,
): FrameWriter {
  let pace: Pace = { writtenAt: Number.NEGATIVE_INFINITY, earnedAt: Number.NEGATIVE_INFINITY };
  /** When the oldest part came that waits; null when none does. */
  let since: number | null = null;
  let ended = false;
  /** The timer that is set; it is left when its text goes earlier, and looks again at what waits then. */
  let timer: { readonly at: number; readonly callOff: () => void } | null = null;
  /** Calls off a write that waits for what came in with its text: one read of TLS gives each record alone. */
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
