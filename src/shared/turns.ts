/** Long work in pieces: the event loop has its turn in between. */

/** Milliseconds that one piece may keep all else waiting. */
const longestTurnMs = 4;

/** To be called between two steps of long work, and waited for when it gives something to wait for. */
export function createTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < longestTurnMs) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now();
        resolve();
      }),
    );
  };
}
