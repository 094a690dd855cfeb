/** Lines whose letters stand in a text take no memory for them, and are the same lines. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { parseLines } from "../../src/transcript/parse.ts";
import { shareTexts } from "../../src/transcript/share-texts.ts";
import fc from "../support/property.ts";
import * as arbitrary from "./arbitraries.ts";

it("changes no line, also of a text that changed since it was parsed", async () => {
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

it("keeps the letters of answers, and of longer questions, once", async () => {
  // Megabytes, beside which nothing counts that other tests leave.
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

/** As a text that came over a wire. */
function ownLetters(text: string): string {
  return Buffer.from(text).toString();
}

/** What is in use in this thread. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("there is no gc");
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
