/** Numbers with a noun in the singular or plural. */
import { expect, it } from "vitest";
import { counted, sizeText } from "../../src/shared/counted.ts";

it("counted uses the singular for exactly one", () => {
  expect([0, 0.5, 1, 2].map((seconds) => counted(seconds, "second"))).toEqual([
    "0 seconds",
    "0.5 seconds",
    "1 second",
    "2 seconds",
  ]);
});

it("counted takes a plural that does not end in s", () => {
  expect([1, 2].map((calls) => counted(calls, "call waits", "calls wait"))).toEqual([
    "1 call waits",
    "2 calls wait",
  ]);
});

it("sizeText changes the unit before it would show four digits", () => {
  expect([0, 1, 999, 1000, 999_949, 999_950, 3_750_000].map(sizeText)).toEqual([
    "0 bytes",
    "1 byte",
    "999 bytes",
    "1.0 kB",
    "999.9 kB",
    "1.0 MB",
    "3.8 MB",
  ]);
});
