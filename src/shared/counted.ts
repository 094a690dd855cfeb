/** Numbers for sentences. */

/** `1 second`, `2 seconds`, `0.5 seconds`. `what` is the singular. */
export function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** The first names of a list: `a, b and 3 more`. */
export function summariseNames(names: readonly string[], most: number): string {
  const left = names.length - most;
  return `${names.slice(0, most).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** `812 bytes`, `2.1 kB`. */
export function sizeText(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}

/** Whole seconds; `since` in milliseconds since the epoch. */
export function secondsSince(since: number): number {
  return Math.round((Date.now() - since) / 1000);
}
