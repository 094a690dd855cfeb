/** Read by Vitest before each file of tests. */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { endAllOfFile } from "./file-end.ts";

// Files share a process: fake timers that one leaves behind never fire for the next, which waits until its time is up.
const known = Symbol.for("parley.tests.timers");
const shared = globalThis as unknown as Record<symbol, typeof setTimeout>;
shared[known] ??= setTimeout;
if (shared[known] !== setTimeout) {
  throw new Error("A file that ran before in this process left a setTimeout that is not Node's.");
}

// What the tests of a file leave in temporary folders goes with the file: everything is made in one. Its name is short,
// since the names of sockets below it may not be long.
const variables = process.platform === "win32" ? ["TEMP", "TMP"] : ["TMPDIR"];
const before = variables.map((name) => [name, process.env[name]] as const);
const folder = mkdtempSync(join(tmpdir(), "p-"));
for (const name of variables) process.env[name] = folder;

afterAll(async () => {
  await endAllOfFile();
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  // Of what a process that is just ending still writes there, nothing is waited for.
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
});
