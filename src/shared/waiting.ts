/** Waiting: with a time limit, with work done meanwhile, and detecting that the machine slept. */

/** In milliseconds: Node treats a longer timer as no delay at all. */
export const longestTimer = 2 ** 31 - 1;

/**
 * The value of the promise within that many milliseconds; null when it takes longer: the caller keeps waiting or gives
 * up. Rejects as the promise does; a later rejection is for the promise's owner to handle.
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
 * Waits, and does `work` meanwhile: in the next round of the event loop, once the request has been sent. The work is
 * skipped when the answer comes first.
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

/** A timer is later than this, in milliseconds, only if its process did not run. */
const lateMs = 1000;

/**
 * Whether the process slept during the wait of a timer, for example because of a closed lid or a stop signal: messages
 * that arrived meanwhile are read after the timer. Both in milliseconds of `performance.now()`, which on macOS and
 * Windows goes on while the machine sleeps, as timers do.
 */
export function sleptDuring(waitMs: number, passedMs: number): boolean {
  return passedMs > waitMs + lateMs;
}
