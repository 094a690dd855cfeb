/** Numbers with a noun in the singular or plural. */
import { expect, it } from "vitest";
import { counted } from "../../src/shared/counted.ts";

it("counted uses the singular for exactly one", () => {
  expect([0, 0.5, 1, 2].map((seconds) => counted(seconds, "second"))).toEqual([
    "0 seconds",
    "0.5 seconds",
    "1 second",
    "2 seconds",
  ]);
});
