/**
 * Makes text acceptable everywhere: every provider refuses a text in which nothing is visible, or with half a surrogate
 * pair, and some stop reading at a NUL (ggml-org/llama.cpp#25543).
 */

/** Whether nothing in the text is visible; providers count such a text as empty. */
export function isUnseen(text: string): boolean {
  const first = text.charCodeAt(0);
  // Most texts begin with a letter.
  if (first > 0x20 && first < 0x7f) return false;
  return !/[^\s\p{Cc}]/u.test(text);
}

/** Replaces lone surrogates and NULs by U+FFFD. */
export function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

export function isWellFormed(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** `wellFormed` for JSON text, where either may also be written as an escape. */
export function wellFormedJson(json: string): string {
  // The last alternative skips every other escape, so that `\\ud800` (a backslash and letters) stays.
  const escapes =
    /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u(?:[dD][89a-fA-F][\da-fA-F]{2}|0000)|\\./gs;
  return wellFormed(json).replace(escapes, (found) => (found.length === 6 ? "\\ufffd" : found));
}
