/** What every provider rejects is dropped or fixed before it is sent: blank text and halves of surrogate pairs. */

import { describe, expect, it } from "vitest";
import {
  isUnseen,
  isWellFormed,
  wellFormed,
  wellFormedJson,
} from "../../src/shared/well-formed.ts";
import fc from "../support/property.ts";

describe("isUnseen", () => {
  it.each(["", " \n\t", "\u0007", "\u00a0\u3000", "\u0000 \u001b"])("is true for %j", (text) => {
    expect(isUnseen(text)).toBe(true);
  });

  it.each([".", "\u0007.", "💬", "\u200b"])("is false for %j", (text) => {
    expect(isUnseen(text)).toBe(false);
  });
});

describe("wellFormed and wellFormedJson", () => {
  /** Encoding to UTF-8 and back loses unpaired surrogates. */
  const isWhole = (text: string) => Buffer.from(text, "utf8").toString("utf8") === text;
  const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff }));

  it("replace unpaired surrogates and keep any other text", () => {
    fc.assert(
      fc.property(anyUnits, (units) => {
        const text = String.fromCharCode(...units);
        const fixed = wellFormed(text);
        expect(isWhole(fixed)).toBe(true);
        expect(fixed).toHaveLength(text.length);
        expect(isWellFormed(fixed)).toBe(true);
        if (isWhole(text) && !text.includes("\0")) expect(fixed).toBe(text);
        expect(isWellFormed(text)).toBe(fixed === text);
      }),
    );
  });

  it("replace NUL, where some servers stop reading", () => {
    expect(wellFormed("one\0two")).toBe("one\ufffdtwo");
    expect(wellFormedJson('{"a":"\\u0000 \\\\u0000"}')).toBe('{"a":"\\ufffd \\\\u0000"}');
  });

  it("keep the meaning of JSON except for escaped unpaired surrogates", () => {
    expect(wellFormedJson('{"a":"\\ud800"}')).toBe('{"a":"\\ufffd"}');
    expect(wellFormedJson('{"a":"\\ud83d\\udcac \\\\ud800"}')).toBe(
      '{"a":"\\ud83d\\udcac \\\\ud800"}',
    );
  });
});
