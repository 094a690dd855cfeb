/** Read by Vitest before each file of tests. */
import { afterAll } from "vitest";
import { endAllOfFile } from "./file-end.ts";

// Files share a process: fake timers that one leaves behind never fire for the next, which waits until its time is up.
const known = Symbol.for("parley.tests.timers");
const shared = globalThis as unknown as Record<symbol, typeof setTimeout>;
shared[known] ??= setTimeout;
if (shared[known] !== setTimeout) {
  throw new Error("A file that ran before in this process left a setTimeout that is not Node's.");
}

afterAll(endAllOfFile);
