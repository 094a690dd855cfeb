/** Numbers with their word, and the sentences that have them. */
import { expect, it } from "vitest";
import { counted } from "../../src/shared/counted.ts";

it("says one of a thing as one", () => {
  expect([0, 0.5, 1, 2].map((seconds) => counted(seconds, "second"))).toEqual([
    "0 seconds",
    "0.5 seconds",
    "1 second",
    "2 seconds",
  ]);
});
