/**
 * Removes the end of a text. A regular expression for that (`/ +$/`) would start again at each such character anywhere.
 */

/** Removes the run of these characters at the end of the text. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? "")) end -= 1;
  return text.slice(0, end);
}
