/** A compacted text is the same text in fewer bytes. */

import { serialize } from "node:v8";
import { describe, expect, it } from "vitest";
import { compact } from "../../src/shared/compact.ts";
import fc from "../support/property.ts";

describe("compact", () => {
  it("returns the same text", () => {
    const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff }));
    const latinUnits = fc.array(fc.integer({ min: 0, max: 0xff }));
    fc.assert(
      fc.property(fc.oneof(anyUnits, latinUnits), (units) => {
        const text = String.fromCharCode(...units);
        expect(compact(text)).toBe(text);
      }),
    );
  });

  it("stores Latin-1 text after a marker with one byte per character instead of two", () => {
    const question = `💬: ${"what is this? ".repeat(20)}`.slice(4);
    expect(bytesOf(question)).toBeGreaterThan(2 * question.length);
    expect(bytesOf(compact(question))).toBeLessThan(1.1 * question.length);
  });
});

/** The size of V8's serialization. */
function bytesOf(text: string): number {
  return serialize(text).length;
}
