/** Waiting for what may take long. */

/** What the promise gives within that many milliseconds; null when it takes longer, or rejects. Its owner goes on to wait. */
export async function soon<Value>(
  promise: Promise<Value>,
  milliseconds: number,
): Promise<Value | null> {
  let timer: NodeJS.Timeout | null = null;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, milliseconds, null);
  });
  try {
    return await Promise.race([promise.catch(() => null), late]);
  } finally {
    if (timer !== null) clearTimeout(timer);
  }
}
