/** A compact text is the same text, in as few bytes as V8 can keep it in. */

import { serialize } from "node:v8";
import { describe, expect, it } from "vitest";
import { compact } from "../../src/shared/compact.ts";
import fc from "../support/property.ts";

describe("a compact text", () => {
  it("is the same text", () => {
    const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff }));
    const latinUnits = fc.array(fc.integer({ min: 0, max: 0xff }));
    fc.assert(
      fc.property(fc.oneof(anyUnits, latinUnits), (units) => {
        const text = String.fromCharCode(...units);
        expect(compact(text)).toBe(text);
      }),
    );
  });

  it("has one byte for each character behind a marker, where V8 has two", () => {
    const question = `💬: ${"what is this? ".repeat(20)}`.slice(4);
    expect(bytesOf(question)).toBeGreaterThan(2 * question.length);
    expect(bytesOf(compact(question))).toBeLessThan(1.1 * question.length);
  });
});

/** As V8 keeps it. */
function bytesOf(text: string): number {
  return serialize(text).length;
}
