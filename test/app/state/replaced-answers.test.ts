/** Answers that were replaced are kept for 30 days. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keepReplaced } from "../../../src/app/state/replaced-answers.ts";

const day = 24 * 60 * 60 * 1000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-replaced-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it("keeps each text in a file of its own, also within one millisecond", async () => {
  const paths = [await keepReplaced(folder, "one\n"), await keepReplaced(folder, "two\n")];
  expect(paths.map((path) => readFileSync(path, "utf8"))).toEqual(["one\n", "two\n"]);
});

it("removes texts older than 30 days, and no file that is not its own", async () => {
  const kept = await keepReplaced(folder, "now\n");
  const replaced = join(folder, "replaced");
  const [old, younger] = [Date.now() - 31 * day, Date.now() - 29 * day];
  for (const name of [`${old}.md`, `${younger}.md`, "mine.md"]) {
    writeFileSync(join(replaced, name), "");
  }
  await keepReplaced(folder, "next\n");
  const names = readdirSync(replaced);
  expect(names).not.toContain(`${old}.md`);
  expect(names).toHaveLength(4);
  expect(names).toEqual(expect.arrayContaining([`${younger}.md`, "mine.md"]));
  expect(readFileSync(kept, "utf8")).toBe("now\n");
});
