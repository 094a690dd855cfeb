import { expect, test } from "vitest";
import { canonicalJson } from "../../src/shared/hash.ts";
import fc from "../support/property.ts";

/** The same value with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, item]) => [key, reversed(item)]));
}

test("canonicalJson keeps the value and does not depend on the order of keys", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(reversed(value))).toBe(text);
    }),
  );
});

test("canonicalJson is different for different values", () => {
  const values = [
    null,
    "null",
    1,
    "1",
    [],
    {},
    [[]],
    [1, 2],
    ["1,2"],
    { a: 1 },
    { a: [1] },
    { b: 1 },
  ];
  expect(new Set(values.map(canonicalJson)).size).toBe(values.length);
});

test("canonicalJson handles deep and long values without a stack overflow", () => {
  const depth = 100_000;
  const deep = "[".repeat(depth) + "]".repeat(depth);
  expect(canonicalJson(JSON.parse(deep))).toBe(deep);
  const long = JSON.stringify(Array.from({ length: 300_000 }, () => 0));
  expect(canonicalJson(JSON.parse(long))).toBe(long);
});
