/** Shows text from a model or a server on one line without deceiving the reader (format, section 9). */

/** Controls, formats (bidi, zero-width, tags), line separators, fillers, lone surrogates. */
const unseen = "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Cn}\\p{Default_Ignorable_Code_Point}]";

/** Scripts whose words need a joiner or a non-joiner inside. */
const withJoiners =
  "[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gujarati}\\p{Script=Gurmukhi}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Oriya}\\p{Script=Sinhala}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Mongolian}]";

/**
 * Legitimate uses of such characters: in emoji, with a skin tone or as a keycap, and between letters of those scripts
 * on both sides of a joiner.
 */
const proper = `(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]|(?<=[0-9#*])\\ufe0f(?=\\u20e3)|(?<=\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?)\\u200d(?=\\p{Extended_Pictographic})|(?<=${withJoiners})[\\u200c\\u200d](?=${withJoiners})`;

/** Blanks other than the space; the wide one is legitimate next to Chinese, Japanese and Korean. */
const cjk =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\u3001-\\u303f\\uff00-\\uffef]";
const oddBlank = `(?! |\\u3000(?=${cjk})|(?<=${cjk})\\u3000)\\p{Zs}`;

/** Symbols that are drawn as nothing; the blank of Braille is legitimate next to Braille letters. */
const emptySymbol = "\\ufffc|\\u{1d159}|(?<![\\u2801-\\u28ff])\\u2800(?![\\u2801-\\u28ff])";

/** Combining marks of scripts that put at most two on a letter. */
const fewMarks =
  "(?=[\\p{Script=Inherited}\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Common}])[\\p{Mn}\\p{Me}]";

/** More marks on one letter than its script needs hide the letter and its neighbours. No script needs nine. */
const heap = `(?<![\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Syriac}\\p{Script=Greek}])(?:${fewMarks}){3,}|[\\p{Mn}\\p{Me}]{9,}`;

/** Letters that share the cell of the character after them. */
const prepended =
  "[\\u0d4e\\u{111c2}\\u{111c3}\\u{113d1}\\u{1193f}\\u{11941}\\u{11a3a}\\u{11a84}-\\u{11a89}\\u{11d46}\\u{11f02}]";

/**
 * Characters that show nothing, change how others are shown, or look like others, where no script needs them: a
 * sentence or a path with them would not be what the reader takes it for.
 */
const deceptive = new RegExp(
  `${heap}|${emptySymbol}|${prepended}(?!\\p{Lo})|(?!${proper})${unseen}|${oddBlank}`,
  "gu",
);

/** Newlines become `\n`, other invisible characters `\u{…}`. */
export function visible(text: string): string {
  const shown = text.replace(deceptive, (found) => Array.from(found, escaped).join(""));
  return shown.replace(longRun, inCells);
}

function escaped(character: string): string {
  return character === "\n" ? "\\n" : `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`;
}

/**
 * In UTF-8 bytes: Neovim shows 31 in a cell and drops the rest. The margin is for a letter before them, or half a flag.
 */
const largestCell = 26;

/** Shorter runs fit into one cell. */
const longRun = /[^\0-\x7f]{8,}/gu;

/**
 * Characters that share the cell of the one before: always, after a virama, after a joiner, after a letter of their
 * kind.
 */
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
/** A run without any of these has one cell for each character, as nearly all text does. */
const joining = new RegExp(
  [joined.always, initial, prepending].map(({ source }) => source).join("|"),
  "u",
);

/** Escapes what no longer fits into a cell: dozens of Indic letters, Korean letters or emoji can form one character. */
function inCells(run: string): string {
  if (!joining.test(run)) return run;
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

/** The lines of a text, each made visible: for windows and terminals that show text from others. */
export function shownLines(text: string): readonly string[] {
  return text.split("\n").map(visible);
}

/** A backslash that would begin one of these escapes, or come right before one. */
const ambiguous = new RegExp(`\\\\(?=[\\\\n]|u\\{|${deceptive.source})`, "gu");

/** Like `visible`, for plain text: a backslash that could be read as part of an escape is doubled. */
export function visibleText(text: string): string {
  return visible(text.replace(ambiguous, "\\\\"));
}

/** Replaces each run of white space by one blank, and removes it at the ends. */
export function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** At most `limit` characters of a text, with an ellipsis when it is longer. */
export function ellipsize(text: string, limit: number): string {
  const { text: start, cut } = clip(text, limit);
  return cut ? `${start}…` : start;
}

/** The first `limit` characters of a text, without half a character at the end, and whether anything was cut. */
export function clip(
  text: string,
  limit: number,
): { readonly text: string; readonly cut: boolean } {
  if (text.length <= limit) return { text, cut: false };
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(limit - 1));
  return { text: text.slice(0, isHalf ? limit - 1 : limit), cut: true };
}
