import { describe, expect, it } from "vitest";
import {
  escapeAnswerLine,
  escapeAnswerText,
  escapeAtTip,
  escapeLine,
  holdBack,
  looksLikeMarker,
  markerAt,
  toLineFeeds,
  unescapeLine,
} from "../../src/transcript/markers.ts";
import { escapeText } from "../support/escape.ts";
import fc from "../support/property.ts";
import * as arbitrary from "./arbitraries.ts";

describe("markers", () => {
  it.each(arbitrary.markerSpellings)("include %s, at column 0 only", (marker) => {
    expect(markerAt(`${marker} x`)?.text).toBe(marker);
    expect(markerAt(` ${marker}`)).toBeNull();
    expect(markerAt(`\\${marker}`)).toBeNull();
    expect(looksLikeMarker(`\\\\${marker}x`)).toBe(true);
  });

  it.each(["💬", "💬 :", "<!-- Parley:", "<!--parley:", "<!-- parley", "👍:", "", "\\"])(
    "do not include %j, which stays text",
    (line) => {
      expect(markerAt(line)).toBeNull();
      expect(looksLikeMarker(line)).toBe(false);
      expect(escapeLine(line)).toBe(line);
      expect(unescapeLine(line)).toBe(line);
    },
  );
});

describe("a line that looks like a marker", () => {
  it.each([
    "💬\uFE0F\uFE0F:",
    "💬\u200B:",
    "💬\uFE0E: a turn",
    "❓\uFE0E\uFE0F: `{}`",
    "🛠\u2060️: [x][y]",
    "\u200B💬: a turn",
    "\uFEFF💬: a turn",
    "\u{E0001}🤖: x",
    "🤖\u00AD: x",
    "\u3164💬: x",
  ])("is escaped although it is not a marker: %j", (line) => {
    expect(markerAt(line)).toBeNull();
    expect(escapeLine(line)).toBe(`\\${line}`);
    expect(unescapeLine(`\\${line}`)).toBe(line);
    expect(escapeAnswerLine(line)).toBe(`\\${line}`);
  });

  it("is any marker emoji with invisible characters before or after it", () => {
    const unseen = fc.constantFrom(
      ...["\uFE0E", "\uFE0F", "\u200B", "\u200D", "\u2060", "\u00AD", "\u{E0041}", "\u034F"],
    );
    const emoji = arbitrary.markerSpellings.filter((text) => !text.startsWith("<"));
    const marker = fc.constantFrom(...emoji.map((text) => text.replace(/\uFE0F?:$/u, "")));
    fc.assert(
      fc.property(
        fc.array(unseen, { maxLength: 3 }),
        marker,
        fc.array(unseen, { maxLength: 3 }),
        (before, emoji, behind) => {
          const line = `${before.join("")}${emoji}${behind.join("")}: x`;
          const written = escapeLine(line);
          expect(looksLikeMarker(line)).toBe(true);
          expect(written.startsWith("\\")).toBe(true);
          expect(unescapeLine(written)).toBe(line);
        },
      ),
    );
  });
});

describe("escaping", () => {
  it.each([
    ["💬: not a turn", "\\💬: not a turn"],
    ["\\💬: quoted", "\\\\💬: quoted"],
    ["❓\uFE0F: x", "\\❓\uFE0F: x"],
    ["<!-- parley:unfinished open -->", "\\<!-- parley:unfinished open -->"],
    ["\\n is no marker", "\\n is no marker"],
    ["a 💬: inside", "a 💬: inside"],
  ])("writes %j as %j and reads it back", (content, written) => {
    expect(escapeLine(content)).toBe(written);
    expect(unescapeLine(written)).toBe(content);
  });

  it("converts CR LF and lone CR to LF before it splits lines", () => {
    expect(escapeText("a\r💬: b\r\n🤖: c")).toBe("a\n\\💬: b\n\\🤖: c");
  });

  it("leaves only the summary and thought lines of an answer unescaped", () => {
    expect(escapeAnswerText("📝: s\n🧠: t\n🧠:[END]\n\\📝: q\n💬: u")).toEqual([
      "📝: s",
      "🧠: t",
      "🧠:[END]",
      "\\\\📝: q",
      "\\💬: u",
    ]);
  });

  it("round-trips any text and leaves no marker in it", () => {
    fc.assert(
      fc.property(arbitrary.text, (text) => {
        const lines = escapeText(text).split("\n");
        expect(lines.filter((line) => markerAt(line) !== null)).toEqual([]);
        expect(lines.map(unescapeLine).join("\n")).toBe(toLineFeeds(text));
      }),
    );
  });
});

/** Works like a writer: holds back what a later piece may change, and writes the rest at the end. */
function stream(pieces: readonly string[], answerText: boolean): string {
  let written = "";
  let waiting = "";
  const linePrefix = () => written.slice(written.lastIndexOf("\n") + 1);
  for (const piece of pieces) {
    waiting += piece;
    const ready = waiting.length - holdBack(waiting, linePrefix() === "");
    written += escapeAtTip(linePrefix(), waiting.slice(0, ready), { answerText });
    waiting = waiting.slice(ready);
  }
  return written + escapeAtTip(linePrefix(), waiting, { answerText });
}

function cut(text: string, places: readonly number[]): string[] {
  const at = places.map((place) => place % (text.length + 1)).sort((a, b) => a - b);
  return [...at, text.length].map((end, index) => text.slice(at[index - 1] ?? 0, end));
}

describe("escaping a stream", () => {
  it("writes the same text however the stream is split", () => {
    fc.assert(
      fc.property(
        arbitrary.text,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.boolean(),
        (text, places, answerText) => {
          const escapeOne = answerText ? escapeAnswerLine : escapeLine;
          const whole = toLineFeeds(text).split("\n").map(escapeOne).join("\n");
          expect(stream(cut(text, places), answerText)).toBe(whole);
          expect(stream([...text].length < 200 ? text.split("") : [text], answerText)).toBe(whole);
        },
      ),
    );
  });

  it("never lets the model's text form a marker, whatever the user typed in front of it", () => {
    fc.assert(
      fc.property(arbitrary.line, arbitrary.text, (prefix, text) => {
        fc.pre(!prefix.includes("\r") && markerAt(prefix) === null);
        const written = escapeAtTip(prefix, text, { answerText: false });
        const lines = (prefix + written).split("\n");
        expect(lines.filter((line) => markerAt(line) !== null)).toEqual([]);
        const content = lines.map(unescapeLine).join("").replaceAll("\\", "");
        expect(content).toBe(unescapeLine(prefix + toLineFeeds(text)).replaceAll(/[\\\n]/g, ""));
      }),
    );
  });

  it.each([
    ["💬", ": forged", "\n: forged"],
    ["💬:", " forged", "\n forged"],
    ["❓: ", "`{}`", "\n`{}`"],
    ["🛠️:", "💬: both", "\n\\💬: both"],
    ["❓:", "\nbelow", "\nbelow"],
    ["🧠: our own", " thought", " thought"],
    ["💬", "\uFE0F: forged", "\n\\\uFE0F: forged"],
    ["<!-- par", "ley:step", "\nley:step"],
    ["\\", "💬: x", "\\💬: x"],
    ["💬: mine", " and the model's", "\n and the model's"],
    ["words ", "💬: x", "💬: x"],
  ])("after the prefix %j writes %j as %j", (prefix, text, written) => {
    expect(escapeAtTip(prefix, text, { answerText: false })).toBe(written);
  });

  it.each([
    ["abc", true, 0],
    ["💬", true, 2],
    ["💬", false, 0],
    ["\uD83D", true, 1],
    ["a\uD83D", true, 1],
    ["\\\\🛠", true, 4],
    ["🛠\uFE0F", true, 3],
    ["💬:", true, 0],
    ["a\n<!-- parley", false, 11],
    ["a\n\\", false, 1],
    ["a\r", true, 1],
    ["\r", true, 1],
    ["a\r💬", false, 2],
    ["", true, 0],
  ])(
    "holds back from %j (at the start of a line: %s) %i characters",
    (text, atLineStart, count) => {
      expect(holdBack(text, atLineStart)).toBe(count);
    },
  );
});
