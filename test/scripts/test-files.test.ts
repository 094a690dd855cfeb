/** Rules for test files, so that one process can run many of them. */
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

// A shared module is loaded once for many files, so its hooks would belong to the first file that imports it.
it("modules shared by test files register no hooks when they are loaded", () => {
  const shared = files.filter((path) => !/\.(test|soak|live)\.ts$/.test(path));
  expect(shared.length).toBeGreaterThan(40);
  const found = filesWith(/^(?:after|before)(?:Each|All)\(/m, shared);
  expect(found).toEqual(["test/support/setup.ts"]);
});

// An earlier file may have loaded the module already, and a later file would get the replacement.
it("only .alone.test.ts files, which have their own process, replace modules", () => {
  const others = files.filter((path) => !path.endsWith(".alone.test.ts"));
  expect(filesWith(/^\s*vi\.(?:do)?[mM]ock\(|vi\.resetModules\(/m, others)).toEqual([]);
});

// Vitest waits one second by default, which is too short for starting a process on a busy machine.
it("tests wait with `eventually` instead of `vi.waitFor`", () => {
  const own = ["test/scripts/test-files.test.ts", "test/support/eventually.ts"];
  expect(filesWith(/\bvi\.waitFor\(/, files).filter((path) => !own.includes(path))).toEqual([]);
});
