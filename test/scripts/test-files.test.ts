/** What holds for the files of tests, so that one process can run many of them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";

const entries = readdirSync(join(projectRoot, "test"), { recursive: true, encoding: "utf8" });
const files = entries
  .map((path) => `test/${path.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".ts"));

function filesWith(pattern: RegExp, among: readonly string[]): string[] {
  return among.filter((path) => pattern.test(readFileSync(join(projectRoot, path), "utf8")));
}

// Such a module is read once for many files: its hooks would be those of the first file that happens to import it.
it("what several files import registers no hook when it is read", () => {
  const shared = files.filter((path) => !/\.(test|soak|live)\.ts$/.test(path));
  expect(shared.length).toBeGreaterThan(40);
  const found = filesWith(/^(?:after|before)(?:Each|All)\(/m, shared);
  expect(found).toEqual(["test/support/setup.ts"]);
});

// The file before it may have loaded the module, and the file after it would get what was put in its place.
it("a file that replaces modules has a process of its own", () => {
  const others = files.filter((path) => !path.endsWith(".alone.test.ts"));
  expect(filesWith(/^\s*vi\.(?:do)?[mM]ock\(|vi\.resetModules\(/m, others)).toEqual([]);
});

// Vitest's own patience is a second, in which a busy machine does not start a process.
it("what is waited for without an editor is waited for by `eventually`", () => {
  const own = ["test/scripts/test-files.test.ts", "test/support/eventually.ts"];
  expect(filesWith(/\bvi\.waitFor\(/, files).filter((path) => !own.includes(path))).toEqual([]);
});
