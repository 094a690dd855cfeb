import { describe, expect, it } from "vitest";
import { readFileText, writeFileText } from "../../../src/app/files/file-text.ts";
import fc from "../../support/property.ts";

const piece = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.constantFrom("\n", "\r\n", "\r", "\ufeff", "\ufffd", "\u0000"),
);
const someBytes = fc
  .array(fc.oneof(piece.map(Buffer.from), fc.uint8Array({ maxLength: 3 }).map(Buffer.from)))
  .map((pieces) => Buffer.concat(pieces));
const dosBytes = fc
  .array(fc.string({ maxLength: 3 }).map((text) => text.replaceAll(/[\r\n]/g, "")))
  .map((lines) => Buffer.from(lines.map((line) => `${line}\r\n`).join("")));

const texts = (bytes: string) => readFileText(Buffer.from(bytes)).lines.map(({ text }) => text);

describe("a file as lines", () => {
  it("is written as it was read, whatever it holds", () => {
    fc.assert(
      fc.property(fc.oneof(someBytes, dosBytes), (bytes) => {
        expect(writeFileText(readFileText(bytes)).equals(bytes)).toBe(true);
      }),
    );
  });

  it("keeps every other line when one is replaced", () => {
    fc.assert(
      fc.property(fc.oneof(someBytes, dosBytes), fc.nat(), (bytes, pick) => {
        const before = readFileText(bytes);
        if (before.lines.length === 0) return;
        const at = pick % before.lines.length;
        const after = writeFileText({
          ...before,
          lines: before.lines.with(at, { text: "new", bytes: null }),
        });
        const whole = (lines: typeof before.lines) =>
          writeFileText({ ...before, mark: new Uint8Array(0), lines });
        const expected = Buffer.concat([
          before.mark,
          whole(before.lines.slice(0, at)),
          Buffer.from(`new${before.lineEnd}`),
          whole(before.lines.slice(at + 1)),
        ]);
        expect(after.equals(expected)).toBe(true);
      }),
    );
  });

  it("has the lines that an editor shows", () => {
    expect(texts("a\nb\n")).toEqual(["a", "b"]);
    expect(texts("a\nb")).toEqual(["a", "b"]);
    expect(texts("")).toEqual([]);
    expect(texts("\n")).toEqual([""]);
    expect(texts("\ufeffa\r\nb\r\n")).toEqual(["a", "b"]);
    expect(texts("a\r\nb\n")).toEqual(["a\r", "b"]);
  });

  it("ends a last line that was open when others follow it", () => {
    const text = readFileText(Buffer.from("a\r\nb"));
    const more = { ...text, lines: [...text.lines, { text: "c", bytes: null }] };
    expect(writeFileText(more).toString()).toBe("a\r\nb\r\nc\r\n");
  });
});
