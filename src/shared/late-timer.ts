/** Whether a timer was held up by the machine. */

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
