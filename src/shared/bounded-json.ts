/** Values that a server or a model sent, of any size and depth: whether they can be walked through and written. */

/** Deeper than any hand writes, and far from the end of the stack. */
const deepest = 500;

/**
 * How many values and units of text the value holds; null for more than `most`, or more than 500 levels (or `depth`).
 * No more than that is looked at.
 */
export function boundedSize(value: unknown, most: number, depth = deepest): number | null {
  let size = 0;
  let level: unknown[] = [value];
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels > depth) return null;
    const next: unknown[] = [];
    for (const each of level) {
      size += typeof each === "string" ? 1 + each.length : 1;
      if (Array.isArray(each)) {
        if (size + each.length > most) return null;
        for (const item of each) next.push(item);
      } else if (typeof each === "object" && each !== null) {
        for (const [key, item] of Object.entries(each)) {
          size += key.length;
          next.push(item);
        }
      }
      if (size > most) return null;
    }
    level = next;
  }
  return size;
}

/** As JSON; null when the value is not bounded so. */
export function boundedJson(value: unknown, most: number): string | null {
  return boundedSize(value, most) === null ? null : (JSON.stringify(value) ?? null);
}
