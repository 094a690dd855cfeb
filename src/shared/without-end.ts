/** A text without what it ends in. A regular expression for that (`/ +$/`) begins again at each such character anywhere. */

/** Without the run of these characters that the text ends in. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? "")) end -= 1;
  return text.slice(0, end);
}
