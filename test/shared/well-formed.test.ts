/** What every provider refuses is left out or mended before it is sent: nothing to see, and halves of characters. */

import { describe, expect, it } from "vitest";
import {
  isUnseen,
  isWellFormed,
  wellFormed,
  wellFormedJson,
} from "../../src/shared/well-formed.ts";
import fc from "../support/property.ts";

describe("a text in which nothing can be seen", () => {
  it.each(["", " \n\t", "\u0007", "\u00a0\u3000", "\u0000 \u001b"])("is %j", (text) => {
    expect(isUnseen(text)).toBe(true);
  });

  it.each([".", "\u0007.", "💬", "\u200b"])("is not %j", (text) => {
    expect(isUnseen(text)).toBe(false);
  });
});

describe("a well-formed text", () => {
  /** Halves do not come back from UTF-8. */
  const isWhole = (text: string) => Buffer.from(text, "utf8").toString("utf8") === text;
  const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff }));

  it("has no half of a pair, and is what it was where it had none", () => {
    fc.assert(
      fc.property(anyUnits, (units) => {
        const text = String.fromCharCode(...units);
        const mended = wellFormed(text);
        expect(isWhole(mended)).toBe(true);
        expect(mended).toHaveLength(text.length);
        expect(isWellFormed(mended)).toBe(true);
        if (isWhole(text) && !text.includes("\0")) expect(mended).toBe(text);
        expect(isWellFormed(text)).toBe(mended === text);
      }),
    );
  });

  it("has no NUL, behind which some servers read no further", () => {
    expect(wellFormed("one\0two")).toBe("one\ufffdtwo");
    expect(wellFormedJson('{"a":"\\u0000 \\\\u0000"}')).toBe('{"a":"\\ufffd \\\\u0000"}');
  });

  it("keeps what JSON means, but for halves that are written as escapes", () => {
    expect(wellFormedJson('{"a":"\\ud800"}')).toBe('{"a":"\\ufffd"}');
    expect(wellFormedJson('{"a":"\\ud83d\\udcac \\\\ud800"}')).toBe(
      '{"a":"\\ud83d\\udcac \\\\ud800"}',
    );
  });
});
