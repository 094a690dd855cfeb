/** Divides long work into pieces that yield to the event loop. */

/** Milliseconds that one piece may block everything else. */
const longestPieceMs = 4;

/** Call the result between two steps of long work, and await the promise if it returns one. */
export function createYield(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < longestPieceMs) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now();
        resolve();
      }),
    );
  };
}

/** Like `filter` for long lists or slow tests. Rejects with the signal's reason when it is aborted. */
export async function filterInTurns<T>(
  items: readonly T[],
  fits: (item: T) => boolean,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const yieldNow = createYield();
  const found: T[] = [];
  for (const item of items) {
    const turn = yieldNow();
    if (turn !== undefined) {
      await turn;
      signal.throwIfAborted();
    }
    if (fits(item)) found.push(item);
  }
  return found;
}
