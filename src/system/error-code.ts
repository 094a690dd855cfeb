/** What the system says went wrong, by its code (`ENOENT`): the one reading of it. */

/** Empty when the error has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(codeOf(error));
}

/** No file or folder is there. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}
