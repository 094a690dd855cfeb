import { defineConfig } from "vitest/config";
import { viteProgramTexts } from "./scripts/lib/program-text.mjs";
import { LongestFirst } from "./test/support/order.ts";

/** They watch what is loaded first, or put another module in the place of one: such a file has a process to itself. */
const alone = ["test/**/*.alone.test.ts"];
const all = ["test/**/*.test.ts"];

export default defineConfig({
  plugins: [viteProgramTexts()],
  test: {
    // Most time goes into editors and servers that run as processes of their own, and into waiting for them.
    maxWorkers: 3,
    // What is awaited has a patience of its own that says what is missing. This is for what hangs, and not for a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ["test/support/setup.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      // One process reads the sources once for many files, which takes a third of the work off the whole run.
      { extends: true, test: { name: "tests", include: all, exclude: alone, isolate: false } },
      { extends: true, test: { name: "alone", include: alone } },
    ],
  },
});
