/** Numbers with the word for what they count. */

/** `1 second`, `2 seconds`, `0.5 seconds`. `what` is one of them. */
export function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
