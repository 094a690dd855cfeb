/** What the user approves is shown as it is: nothing in it is invisible, and text in any script stays readable. */

import { describe, expect, it } from "vitest";
import { clip, ellipsize, visible, visibleText } from "../../src/shared/visible.ts";
import fc from "../support/property.ts";

describe("visible", () => {
  it.each([
    ["a no-break space", "rm -rf\u00a0/", "rm -rf\\u{a0}/"],
    ["a thin space", "a\u2009b", "a\\u{2009}b"],
    ["an ideographic space next to Latin letters", "rm\u3000x", "rm\\u{3000}x"],
    ["a zero-width space", "pass\u200bword", "pass\\u{200b}word"],
    ["a joiner between Latin letters", "a\u200db", "a\\u{200d}b"],
    ["a bidirectional override", "a\u202eb", "a\\u{202e}b"],
    ["a tag character", "a\u{e0041}", "a\\u{e0041}"],
    ["a variation selector behind a letter", "x\ufe0f", "x\\u{fe0f}"],
    ["a variation selector behind a digit", "1\ufe0f", "1\\u{fe0f}"],
    [
      "the marks after the first of four on a Greek letter",
      `ω${"\u0301".repeat(4)}`,
      `ω\u0301${"\\u{301}".repeat(3)}`,
    ],
    ["three marks on one letter", "Z\u0300\u0301\u0302", "Z\\u{300}\\u{301}\\u{302}"],
    ["a pile of marks", `o${"\u0336\u0301".repeat(4)}`, `o${"\\u{336}\\u{301}".repeat(4)}`],
    ["a line feed", "a\nb", "a\\nb"],
    ["a bell", "a\u0007b", "a\\u{7}b"],
    ["line and paragraph separators", "a\u2028b\u2029c", "a\\u{2028}b\\u{2029}c"],
    ["half a surrogate pair", "a\ud83db", "a\\u{d83d}b"],
    ["an unassigned character", "a\u0378b", "a\\u{378}b"],
    ["a filler that counts as a letter", "a\u3164b", "a\\u{3164}b"],
    ["a Braille blank next to Latin letters", "rm\u2800/", "rm\\u{2800}/"],
    ["a letter that is drawn in the cell of the next one", "rm \u0d4e-rf", "rm \\u{d4e}-rf"],
    [
      "more Devanagari letters than fit a cell",
      "क\u094d".repeat(9),
      `${"क\u094d".repeat(4)}${"\\u{915}\\u{94d}".repeat(5)}`,
    ],
    [
      "more vowel signs than fit a cell",
      `a${"\u093e".repeat(10)}`,
      `a${"\u093e".repeat(8)}\\u{93e}\\u{93e}`,
    ],
    ["more Korean letters than fit a cell", "ᄀ".repeat(10), `${"ᄀ".repeat(8)}\\u{1100}\\u{1100}`],
    [
      "more joined emoji than fit a cell",
      `👩${"\u200d👩".repeat(5)}`,
      `👩${"\u200d👩".repeat(3)}${"\\u{200d}\\u{1f469}".repeat(2)}`,
    ],
    ["symbols that are drawn as nothing", "a\ufffcb\u{1d159}", "a\\u{fffc}b\\u{1d159}"],
  ])("escapes %s", (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it.each([
    ["Japanese with an ideographic space", "日本\u3000語"],
    ["Persian with a non-joiner", "می\u200cخواهم"],
    ["Hindi with a joiner", "क्\u200dष"],
    ["Hebrew with points and accents", "שָּׁ֑"],
    ["Arabic with its vowels", "مُحَمَّدٌ"],
    ["decomposed Vietnamese", "Việt".normalize("NFD")],
    ["decomposed ancient Greek", "ᾄδω ᾧ".normalize("NFD")],
    ["joined emoji and a heart", "👩\u200d💻 ❤\ufe0f"],
    ["a keycap, a skin tone and a symbol in text style", "1\ufe0f\u20e3 👩🏽\u200d💻 ↩\ufe0e"],
    ["Braille with its blank", "⠓⠊\u2800⠞⠓⠑⠗⠑"],
    ["Thai and Tibetan", "ที่ བསྒྲུབས"],
    ["Hindi, Malayalam and a long word", "राष्ट्रीय संस्कृतविश्वविद्यालयमहोत्सव ൎക്ക സ്വാതന്ത്ര്യം"],
    ["decomposed Korean", "대한민국에서만들어진한글".normalize("NFD")],
    ["many emoji and flags", "👩🏽\u200d💻👨\u200d👩\u200d👧😀😀😀😀😀😀😀😀🇩🇪🇫🇷🇩🇪🇫🇷🇩🇪🇫🇷"],
  ])("keeps %s", (_, text) => {
    expect(visible(text)).toBe(text);
  });

  it("allows no pile of any combining mark on any letter", () => {
    const marks = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((character) => /[\p{Mn}\p{Me}]/u.test(character));
    expect(marks.length).toBeGreaterThan(1800);
    for (const letter of ["a", "ж", "ש", "ب", "ที"]) {
      const heaped = marks.filter((mark) =>
        visible(letter + mark.repeat(9)).includes(mark.repeat(3)),
      );
      expect(heaped).toEqual([]);
    }
  });

  it("leaves no invisible characters, and visibleText differs for different texts", () => {
    const piece = fc.constantFrom(
      ...[
        "a",
        " ",
        "\\",
        "\\n",
        "\u00a0",
        "\u200b",
        "\u202e",
        "\u0301",
        "u{a0}",
        "\n",
        "日",
        "\u3000",
      ],
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(visible(one)).not.toMatch(/[\n\u00a0\u200b\u202e]|\u0301{3}/u);
        fc.pre(one !== other);
        expect(visibleText(one)).not.toBe(visibleText(other));
      }),
      { numRuns: 3000 },
    );
  });
});

it("a clipped text is a beginning of the text within the limit and never ends in half a surrogate pair", () => {
  const letters = fc.array(fc.constantFrom(..."a é日😀👩"), { maxLength: 12 });
  fc.assert(
    fc.property(letters, fc.integer({ min: 1, max: 12 }), (pieces, limit) => {
      const text = pieces.join("");
      const { text: start, cut } = clip(text, limit);
      expect(text.startsWith(start)).toBe(true);
      expect(cut).toBe(text.length > limit);
      expect(start).not.toMatch(/\p{Cs}/u);
      expect(start.length).toBeLessThanOrEqual(limit);
      expect(start.length).toBeGreaterThanOrEqual(Math.min(text.length, limit - 1));
      expect(ellipsize(text, limit)).toBe(cut ? `${start}…` : text);
    }),
  );
});
