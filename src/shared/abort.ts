/** Waiting that ends when a signal is aborted, so that a user who stops something need not wait for it. */

/** Rejects with the signal's reason as soon as it is aborted. */
export async function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // After an abort nothing awaits the promise any more, and it may still reject.
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

/** The value of the promise, or null as soon as the signal is aborted. */
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
