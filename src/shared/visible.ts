/** Text from a model or a server as it can be shown on one line without deceiving anybody (format, section 9). */

/** Controls, formats (bidi, zero-width, tags), line separators, fillers, halves of characters. */
const unseen = "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Cn}\\p{Default_Ignorable_Code_Point}]";

/** Scripts whose words need a joiner or its opposite inside. */
const joining =
  "[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gujarati}\\p{Script=Gurmukhi}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Oriya}\\p{Script=Sinhala}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Mongolian}]";

/**
 * What such characters are for: emoji, with a colour of skin or as a key, and letters of those scripts on both sides of
 * a joiner.
 */
const proper = `(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]|(?<=[0-9#*])\\ufe0f(?=\\u20e3)|(?<=\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?)\\u200d(?=\\p{Extended_Pictographic})|(?<=${joining})[\\u200c\\u200d](?=${joining})`;

/** Blanks that are not the blank: the wide one is at home beside Chinese, Japanese and Korean. */
const cjk =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\u3001-\\u303f\\uff00-\\uffef]";
const oddBlank = `(?! |\\u3000(?=${cjk})|(?<=${cjk})\\u3000)\\p{Zs}`;

/** Symbols that are drawn as nothing; the blank of Braille is at home beside its letters. */
const emptySymbol = "\\ufffc|\\u{1d159}|(?<![\\u2801-\\u28ff])\\u2800(?![\\u2801-\\u28ff])";

/** Marks of scripts that put no more than two on a letter. */
const fewMarks =
  "(?=[\\p{Script=Inherited}\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Common}])[\\p{Mn}\\p{Me}]";

/** More marks on one letter than its script needs hide the letter, and its neighbours. None needs nine. */
const heap = `(?<![\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Syriac}\\p{Script=Greek}])(?:${fewMarks}){3,}|[\\p{Mn}\\p{Me}]{9,}`;

/** Letters that stand in the cell of what follows them. */
const prepended =
  "[\\u0d4e\\u{111c2}\\u{111c3}\\u{113d1}\\u{1193f}\\u{11941}\\u{11a3a}\\u{11a84}-\\u{11a89}\\u{11d46}\\u{11f02}]";

/**
 * Characters that show nothing, change how others are shown, or look like others, where a script does not need them: a
 * sentence or a path of such characters would not be what a person takes it for.
 */
const deceptive = new RegExp(
  `${heap}|${emptySymbol}|${prepended}(?!\\p{Lo})|(?!${proper})${unseen}|${oddBlank}`,
  "gu",
);

/** Newlines become `\n`, other characters that nobody sees `\u{…}`. */
export function visible(text: string): string {
  const shown = text.replace(deceptive, (found) => Array.from(found, escaped).join(""));
  return shown.replace(longRun, inCells);
}

function escaped(character: string): string {
  return character === "\n" ? "\\n" : `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`;
}

/** Bytes of UTF-8: Neovim shows 31 in a cell and leaves out the rest. Some are for a letter before them, or half a flag. */
const largestCell = 26;

/** What is shorter fits into one cell. */
const longRun = /[^\0-\x7f]{8,}/gu;

/** What shares the cell of the character before it: always, behind a virama, behind a joiner, behind a letter of its kind. */
const joined = {
  always: /\u200c|\u200d|[\p{M}\p{Emoji_Modifier}\uff9e\uff9f\u1160-\u11ff\ud7b0-\ud7ff]/u,
  behindVirama: /\p{L}/u,
  behindJoiner: /\p{Extended_Pictographic}/u,
  behindInitial: /[\u1100-\u115f\ua960-\ua97f\uac00-\ud7a3]/u,
};
const virama =
  /[\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2\u1a60\u1b44\u1bab\ua9c0\uaaf6\u{10a3f}\u{11133}\u{113d0}\u{1193e}\u{11a47}\u{11a99}\u{11f42}]/u;
const initial = /[\u1100-\u115f\ua960-\ua97f]/u;
const prepending = new RegExp(prepended, "u");

/** What would not fit into a cell any more as escapes: dozens of letters of India, of Korea's, or of emoji are one character. */
function inCells(run: string): string {
  let shown = "";
  let size = 0;
  let last = "";
  let hasVirama = false;
  for (const character of run) {
    const isJoined: boolean =
      joined.always.test(character) ||
      (hasVirama && joined.behindVirama.test(character)) ||
      (last === "\u200d" && joined.behindJoiner.test(character)) ||
      (initial.test(last) && joined.behindInitial.test(character)) ||
      prepending.test(last);
    size = (isJoined ? size : 0) + Buffer.byteLength(character);
    hasVirama = virama.test(character) || (hasVirama && joined.always.test(character));
    last = character;
    shown += size > largestCell ? escaped(character) : character;
  }
  return shown;
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

/** With one blank for each run of white space, and none at the ends. */
export function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** At most `limit` characters of a text, and an ellipsis behind them when it has more. */
export function ellipsize(text: string, limit: number): string {
  const { text: start, cut } = clip(text, limit);
  return cut ? `${start}…` : start;
}

/** The first `limit` characters of a text, with no half of one at the end, and whether that is less than all of it. */
export function clip(
  text: string,
  limit: number,
): { readonly text: string; readonly cut: boolean } {
  if (text.length <= limit) return { text, cut: false };
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(limit - 1));
  return { text: text.slice(0, isHalf ? limit - 1 : limit), cut: true };
}
