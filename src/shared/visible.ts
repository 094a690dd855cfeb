/** Text from a model or a server as it can be shown on one line without deceiving anybody (format, section 9). */

/**
 * Characters that show nothing, or change how others are shown: controls, formats (bidi, zero-width, tags),
 * line separators, fillers, halves of characters. A variation selector after an emoji is how emoji are written.
 */
const deceptive =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?!\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

/** Newlines become `\n`, other characters that nobody sees `\u{…}`. */
export function visible(text: string): string {
  return text.replace(deceptive, (character) =>
    character === "\n" ? "\\n" : `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
  );
}

/** The lines of a text, each made visible: for windows and terminals, where sentences hold words of others. */
export function shownLines(text: string): readonly string[] {
  return text.split("\n").map(visible);
}

/** A backslash that would begin one of these escapes, or stand directly before one. */
const ambiguous = new RegExp(`\\\\(?=[\\\\n]|u\\{|${deceptive.source})`, "gu");

/** Like `visible`, for plain text: a backslash that could be read as part of an escape is doubled. */
export function visibleText(text: string): string {
  return visible(text.replace(ambiguous, "\\\\"));
}

/** The first `limit` characters of a text made visible, and whether that is less than all of it. */
export function clip(
  text: string,
  limit: number,
): { readonly text: string; readonly cut: boolean } {
  if (text.length <= limit) return { text, cut: false };
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(limit - 1));
  return { text: text.slice(0, isHalf ? limit - 1 : limit), cut: true };
}
