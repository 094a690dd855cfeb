/** Numbers for sentences. */

/** `1 second`, `2 seconds`, `0.5 seconds`; with `many`, also `1 call waits`, `2 calls wait`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** The first names of a list: `a, b and 3 more`. */
export function summariseNames(names: readonly string[], most: number): string {
  const left = names.length - most;
  return `${names.slice(0, most).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** `812 bytes`, `2.1 kB`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return counted(bytes, "byte");
  return bytes < 999_950 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Whole seconds; `since` in milliseconds since the epoch. */
export function secondsSince(since: number): number {
  return Math.round((Date.now() - since) / 1000);
}
