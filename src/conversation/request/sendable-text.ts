/** Text as every provider accepts it: an empty text block or half a surrogate pair is refused with a 400. */
import { fenceFor } from "../../transcript/code.ts";

/** Whether nothing in the text can be seen; providers count such a text as empty. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}]/u.test(text);
}

// Without the flag `u` this is found nowhere in most texts, and found out at once.
const surrogate = /[\ud800-\udfff]/;

/** Halves of surrogate pairs replaced by U+FFFD. */
export function wellFormed(text: string): string {
  if (!surrogate.test(text)) return text;
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** `wellFormed` for JSON text, where a half may also be written as an escape. */
export function wellFormedJson(json: string): string {
  // The last alternative steps over every other escape, so that `\\ud800` (a backslash and letters) stays.
  const escapes =
    /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./gs;
  return wellFormed(json).replace(escapes, (found) => (found.length === 6 ? "\\ufffd" : found));
}

/** A fenced block whose fence no line of the text can close. */
export function fenced(text: string): string {
  const fence = fenceFor(text);
  return `${fence}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}`;
}
