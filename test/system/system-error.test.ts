/** Errors of the operating system as sentences. */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemSentence } from "../../src/system/system-error.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-errors-"));
});
afterEach(() => rm(folder, { recursive: true }));

const thrown = (done: Promise<unknown>) => done.then(() => null, systemSentence);

test("systemSentence reports the file, the reason and the code", async () => {
  const missing = join(folder, "no", "x.html");
  expect(await thrown(writeFile(missing, ""))).toBe(
    `${missing}: there is no such file or folder (ENOENT).`,
  );
  expect(await thrown(writeFile(folder, ""))).toMatch(/: it is a folder \(EISDIR\)\.$/);
});

test("systemSentence reports both files of a rename", async () => {
  const [from, to] = [join(folder, "a"), join(folder, "b")];
  expect(await thrown(rename(from, to))).toBe(
    `${from} or ${to}: there is no such file or folder (ENOENT).`,
  );
});

test("systemSentence reports that the working folder was removed", () => {
  const error = Object.assign(new Error("x"), { code: "ENOENT", syscall: "uv_cwd" });
  expect(systemSentence(error)).toBe("the working folder is gone (ENOENT).");
});

test("systemSentence returns null for all other errors", () => {
  expect(systemSentence(new Error("a sentence of our own"))).toBeNull();
  expect(systemSentence(Object.assign(new Error("x"), { code: "ENOENT" }))).toBeNull();
  expect(systemSentence(Object.assign(new Error("x"), { code: "EWHAT", syscall: "y" }))).toBeNull();
  expect(systemSentence("ENOENT")).toBeNull();
});
