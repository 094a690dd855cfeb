/** Values that a server or a model sent, of any size and depth: whether they can be walked through and written. */

/** Deeper than any hand writes, and far from the end of the stack. */
const deepest = 500;

const none: readonly unknown[] = [];

/**
 * How many values and units of text the value holds; null for more than `most`, or more than 500 levels (or `depth`).
 * Levels below are not looked at then.
 */
export function boundedSize(value: unknown, most: number, depth = deepest): number | null {
  let size = 0;
  let level: unknown[] = [value];
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels > depth) return null;
    const next: unknown[] = [];
    for (const each of level) {
      const { units, parts } = partsOf(each);
      size += units;
      // Each part is one at least.
      if (size + parts.length > most) return null;
      for (const part of parts) next.push(part);
    }
    level = next;
  }
  return size;
}

/** What the value counts for itself, its names included, and what is in it. */
function partsOf(value: unknown): { readonly units: number; readonly parts: readonly unknown[] } {
  if (typeof value === "string") return { units: 1 + value.length, parts: none };
  if (typeof value !== "object" || value === null) return { units: 1, parts: none };
  if (Array.isArray(value)) return { units: 1, parts: value };
  const names = Object.keys(value).reduce((sum, name) => sum + name.length, 0);
  return { units: 1 + names, parts: Object.values(value) };
}

/** As JSON; null when the value is not bounded so. */
export function boundedJson(value: unknown, most: number): string | null {
  return boundedSize(value, most) === null ? null : (JSON.stringify(value) ?? null);
}
