/** Waiting that ends when a signal is aborted: a person who stops does not wait for what is under way. */

/** Rejects with the signal's reason as soon as it is aborted. */
export async function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // After an abort nobody waits for it, and it may still go wrong.
  promise.catch(() => "not waited for");
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** What the promise gives, or null as soon as the signal is aborted. */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
): Promise<T | null> {
  try {
    return await rejectOnAbort(promise, signal);
  } catch (error) {
    if (signal.aborted && error === signal.reason) return null;
    throw error;
  }
}
