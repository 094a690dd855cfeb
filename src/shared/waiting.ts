/** Waiting: no longer than so long, with something done meanwhile, and whether the machine slept in it. */

/** In milliseconds: what is longer, Node takes for none at all. */
export const longestTimer = 2 ** 31 - 1;

/**
 * What the promise gives within that many milliseconds; null when it takes longer: its owner goes on to wait, or gives it
 * up. Rejects as the promise does; what rejects later is its owner's to hear.
 */
export async function within<Value>(
  promise: Promise<Value>,
  milliseconds: number,
): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, milliseconds, null);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits, and does `work` in that time: in the next round of the event loop, when what was asked has left. Nothing is
 * done when the answer comes before that.
 */
export async function meanwhile<Answer>(
  answer: Promise<Answer>,
  work: () => void,
): Promise<Answer> {
  const next = setImmediate(work);
  try {
    return await answer;
  } finally {
    clearImmediate(next);
  }
}

/** Milliseconds that a timer is late by only where its process did not run. */
const lateMs = 1000;

/**
 * Whether the process slept in the wait of a timer, as by a closed lid or a stop signal: what others said meanwhile is
 * read after the timer. Both in milliseconds, of `performance.now()`, which on macOS and Windows goes on in a sleep of
 * the machine, and timers with it.
 */
export function sleptIn(waitMs: number, passedMs: number): boolean {
  return passedMs > waitMs + lateMs;
}
