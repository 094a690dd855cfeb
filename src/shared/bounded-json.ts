/** Checks whether values from a server or a model, of any size and depth, can be traversed and written. */

/** Deeper than anyone writes by hand, and far from a stack overflow. */
const deepest = 500;

const none: readonly unknown[] = [];

/**
 * The number of values and units of text in the value; null for more than `most`, or for more than 500 levels (or
 * `depth`), without looking at deeper levels.
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
      // Each part counts at least one.
      if (size + parts.length > most) return null;
      for (const part of parts) next.push(part);
    }
    level = next;
  }
  return size;
}

/** The size of the value on its own, including its keys, and its parts. */
function partsOf(value: unknown): { readonly units: number; readonly parts: readonly unknown[] } {
  if (typeof value === "string") return { units: 1 + value.length, parts: none };
  if (typeof value !== "object" || value === null) return { units: 1, parts: none };
  if (Array.isArray(value)) return { units: 1, parts: value };
  const names = Object.keys(value).reduce((sum, name) => sum + name.length, 0);
  return { units: 1 + names, parts: Object.values(value) };
}

/** The value as JSON; null when it exceeds the bounds. */
export function boundedJson(value: unknown, most: number): string | null {
  return boundedSize(value, most) === null ? null : (JSON.stringify(value) ?? null);
}
