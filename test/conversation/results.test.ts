import { describe, expect, test } from "vitest";
import { cutResult, harmless } from "../../src/conversation/results.ts";
import fc from "../support/property.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

describe("harmless", () => {
  test.each([
    ["a\r\nb\rc", "a\nb\nc"],
    ["\u001b[31mred\u0007", "␛[31mred␇"],
    ["nul\0 tab\t", "nul␀ tab\t"],
    ["\u007f\u009b2J", "␡\\u{9b}2J"],
    ["\ud83d alone", "\ufffd alone"],
    ["whole 😀", "whole 😀"],
  ])("turns %j into %j", (text, expected) => {
    expect(harmless(text)).toBe(expected);
  });
});

describe("cutResult", () => {
  test("keeps a text within the limit", () => {
    expect(cutResult("é".repeat(50), 100)).toEqual({ text: "é".repeat(50), cut: false });
  });

  test("keeps whole lines of the head and the tail and says how much is left out", () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`);
    const { text, cut } = cutResult(lines.join("\n"), 400);
    const kept = text.split("\n");
    const statement = kept.findIndex((line) => line.startsWith("["));
    expect(cut).toBe(true);
    expect(kept.slice(0, statement)).toEqual(lines.slice(0, statement));
    expect(kept.slice(statement + 1)).toEqual(lines.slice(statement + 1 - kept.length));
    expect(statement).toBeGreaterThan(10);
    const all = bytesOf(lines.join("\n"));
    const left = /^\[(\d+) of (\d+) bytes/.exec(kept[statement] ?? "");
    expect(left?.[2]).toBe(String(all));
    expect(Number(left?.[1])).toBeGreaterThan(all - 400);
  });

  test("cuts within a line rather than lose most of the head or the tail", () => {
    const { text } = cutResult(`short\n${"x".repeat(1000)}\nshort`, 400);
    const [head = "", , tail = ""] = text.split(/\n(\[.*\])\n/);
    expect(head).toMatch(/^short\nx{100,}$/);
    expect(tail).toMatch(/^x{100,}\nshort$/);
  });

  test("cuts a single long line between characters", () => {
    const { text } = cutResult("😀".repeat(1000), 201);
    expect(text).toMatch(/^😀+\n\[.*\]\n😀+$/u);
  });

  test("keeps any text within the limit, in order, and without half characters", () => {
    const anyText = fc.string({
      unit: fc.constantFrom("a", "é", "😀", "\n", "\0", "\r"),
      maxLength: 400,
    });
    fc.assert(
      fc.property(anyText, fc.integer({ min: 80, max: 300 }), (original, limit) => {
        const { text, cut } = cutResult(original, limit);
        const clean = harmless(original);
        expect(cut).toBe(bytesOf(clean) > limit);
        expect(bytesOf(text)).toBeLessThanOrEqual(limit);
        expect(text).not.toMatch(/\ufffd|[\0\r]/);
        const [head = "", tail = ""] = text.split(/\n?\[\d+ of \d+ bytes[^\]]*\]\n?/);
        expect(clean.startsWith(head)).toBe(true);
        expect(cut ? clean.endsWith(tail) : text === clean).toBe(true);
      }),
    );
  });

  test("keeps only the notice when the limit is smaller than the notice", () => {
    expect(cutResult("x".repeat(500), 10).text).toBe(
      "[500 of 500 bytes of this result are left out here]",
    );
  });
});
