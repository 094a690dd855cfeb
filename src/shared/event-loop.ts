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
