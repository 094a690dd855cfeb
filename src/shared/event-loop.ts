/** Long work in pieces: it yields to the event loop in between. */

/** Milliseconds that one piece may keep all else waiting. */
const longestPieceMs = 4;

/** To be called between two steps of long work, and waited for when it gives something to wait for. */
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
