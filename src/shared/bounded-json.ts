/** JSON text of a value that a server may have sent, of any size and depth. */

/**
 * Null when the value holds more than `limit` values and units of text, or is nested too deeply to be written. No more
 * than that is looked at.
 */
export function boundedJson(value: unknown, limit: number): string | null {
  if (!isWithin(value, limit)) return null;
  try {
    return JSON.stringify(value) ?? null;
  } catch (error) {
    // The stack has an end.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function isWithin(value: unknown, limit: number): boolean {
  let left = limit;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    left -= typeof next === "string" ? 1 + next.length : 1;
    if (Array.isArray(next)) {
      if (next.length > left) return false;
      for (const item of next) waiting.push(item);
    } else if (typeof next === "object" && next !== null) {
      for (const [key, item] of Object.entries(next)) {
        left -= key.length;
        if (left < 0) return false;
        waiting.push(item);
      }
    }
    if (left < 0) return false;
  }
  return true;
}
