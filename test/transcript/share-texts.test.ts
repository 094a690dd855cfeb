/** Lines share the memory of the parsed texts that contain them, and stay the same lines. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { parseLines } from "../../src/transcript/parse.ts";
import { shareTexts } from "../../src/transcript/share-texts.ts";
import fc from "../support/property.ts";
import * as arbitrary from "./arbitraries.ts";

it("changes no line, even when the text changed after it was parsed", async () => {
  await fc.assert(
    fc.asyncProperty(arbitrary.fileLines, arbitrary.fileLines, async (before, other) => {
      const { exchanges } = parseLines(before);
      for (const lines of [before, other, [...before.slice(1), ...other]]) {
        const now = [...lines];
        await shareTexts(() => now, exchanges);
        expect(now).toEqual(lines);
      }
    }),
  );
});

it("stores the text of answers only once", async () => {
  // Megabytes, so that what other tests leave in memory does not matter.
  const sentence = "a sentence that somebody wrote, with some forty letters more ".repeat(15);
  const answer = Array.from({ length: 10 }, (_, index) => `${sentence} ${index}`);
  const lines = Array.from({ length: 500 }, (_, index) => [
    `💬: question ${index}`,
    ...answer,
    "🤖:[a model]",
    ...answer,
  ]);
  const own = lines.flat().map(ownLetters);
  const parsed = parseLines(own);
  const before = heapBytes();
  await shareTexts(() => own, parsed.exchanges);
  const letters = 500 * 20 * sentence.length;
  expect(before - heapBytes()).toBeGreaterThan(letters / 2);
  expect(parsed.exchanges).toHaveLength(500);
});

/** A copy with memory of its own, like text from the network. */
function ownLetters(text: string): string {
  return Buffer.from(text).toString();
}

/** The heap memory in use in this thread. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("there is no gc");
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
