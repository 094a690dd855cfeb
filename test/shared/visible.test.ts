/** What a person decides about is shown as it is: nothing in it is unseen, and no script suffers from that. */

import { describe, expect, it } from "vitest";
import { visible, visibleText } from "../../src/shared/visible.ts";
import fc from "../support/property.ts";

describe("made visible", () => {
  it.each([
    ["a no-break space", "rm -rf\u00a0/", "rm -rf\\u{a0}/"],
    ["a thin space", "a\u2009b", "a\\u{2009}b"],
    ["a wide blank beside Latin letters", "rm\u3000x", "rm\\u{3000}x"],
    ["a zero-width space", "pass\u200bword", "pass\\u{200b}word"],
    ["a joiner between Latin letters", "a\u200db", "a\\u{200d}b"],
    ["a change of direction", "a\u202eb", "a\\u{202e}b"],
    ["a tag", "a\u{e0041}", "a\\u{e0041}"],
    ["a variation selector behind a letter", "x\ufe0f", "x\\u{fe0f}"],
    ["a variation selector behind a digit", "1\ufe0f", "1\\u{fe0f}"],
    ["four marks on a letter of Greek", `ω${"\u0301".repeat(4)}`, `ω\u0301${"\\u{301}".repeat(3)}`],
    ["three marks on one letter", "Z\u0300\u0301\u0302", "Z\\u{300}\\u{301}\\u{302}"],
    ["a heap of marks", `o${"\u0336\u0301".repeat(4)}`, `o${"\\u{336}\\u{301}".repeat(4)}`],
    ["a line feed", "a\nb", "a\\nb"],
    ["a blank of Braille", "rm\u2800/", "rm\\u{2800}/"],
    ["symbols that show nothing", "a\ufffcb\u{1d159}", "a\\u{fffc}b\\u{1d159}"],
  ])("%s", (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it.each([
    ["Japanese with its blank", "日本\u3000語"],
    ["Persian with its non-joiner", "می\u200cخواهم"],
    ["Hindi with a joiner", "क्\u200dष"],
    ["Hebrew with points and accents", "שָּׁ֑"],
    ["Arabic with its vowels", "مُحَمَّدٌ"],
    ["Vietnamese taken apart", "Việt".normalize("NFD")],
    ["ancient Greek taken apart", "ᾄδω ᾧ".normalize("NFD")],
    ["a family", "👩\u200d💻 ❤\ufe0f"],
    ["a key, a colour of skin and a sign as text", "1\ufe0f\u20e3 👩🏽\u200d💻 ↩\ufe0e"],
    ["Braille with its blank", "⠓⠊\u2800⠞⠓⠑⠗⠑"],
    ["Thai and Tibetan", "ที่ བསྒྲུབས"],
  ])("not so: %s", (_, text) => {
    expect(visible(text)).toBe(text);
  });

  it("is a heap of any marks there are, on any letter", () => {
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

  it("leaves nothing unseen but what emoji and scripts need, and can be told from what was written", () => {
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
