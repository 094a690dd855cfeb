import { expect, it } from "vitest";
import { boundedJson, boundedSize } from "../../src/shared/bounded-json.ts";
import fc from "../support/property.ts";

/** A simple version of boundedSize: the number of values and units of text. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return 1 + value.length;
  if (typeof value !== "object" || value === null) return 1;
  const keys = Array.isArray(value) ? 0 : Object.keys(value).join("").length;
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item), 1 + keys);
}

const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

it("boundedSize and boundedJson return null exactly when the value is larger than allowed", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const size = sizeOf(value);
      expect(boundedSize(value, size)).toBe(size);
      expect(boundedJson(value, size)).toBe(JSON.stringify(value));
      expect(boundedSize(value, size - 1)).toBeNull();
      expect(boundedJson(value, size - 1)).toBeNull();
    }),
  );
});

it("boundedSize returns null for a value that is nested too deeply", () => {
  expect(boundedSize(nested(501), Number.POSITIVE_INFINITY)).toBe(501);
  expect(boundedSize(nested(502), Number.POSITIVE_INFINITY)).toBeNull();
  expect(boundedSize(nested(100_000), Number.POSITIVE_INFINITY)).toBeNull();
  expect(boundedSize(nested(4), 100, 3)).toBe(4);
  expect(boundedSize(nested(5), 100, 3)).toBeNull();
});
