/** Waiting no longer than so long. */

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
