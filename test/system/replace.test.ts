/** A file in the place of an open one, or taken away, and names that are taken: what Windows does, on every system. */
import { describe, expect, it } from "vitest";
import {
  type FileSystem,
  hasNoLinks,
  isTaken,
  removeFile,
  replaceBy,
} from "../../src/system/replace.ts";

const failure = (code: string) => Object.assign(new Error(code), { code });

function machine(platform: NodeJS.Platform, problems: readonly string[]) {
  const left = [...problems];
  const waited: number[] = [];
  let tries = 0;
  const attempt = async () => {
    tries += 1;
    const code = left.shift();
    if (code) throw failure(code);
  };
  const system: FileSystem = {
    platform,
    rename: attempt,
    remove: attempt,
    async delay(milliseconds) {
      waited.push(milliseconds);
    },
  };
  return { waited, tries: () => tries, system };
}

describe.each([
  ["a file in the place of another", (system: FileSystem) => replaceBy("a", "b", system)],
  ["a file taken away", (system: FileSystem) => removeFile("a", system)],
])("%s", (_, work) => {
  it("is tried again on Windows while somebody has it open", async () => {
    const busy = machine("win32", ["EPERM", "EBUSY", "EACCES"]);
    await work(busy.system);
    expect([busy.tries(), busy.waited.length]).toEqual([4, 3]);
  });

  it("is given up after about a second, with the system's own reason", async () => {
    const busy = machine("win32", Array(50).fill("EPERM"));
    await expect(work(busy.system)).rejects.toThrow("EPERM");
    expect(busy.waited.reduce((sum, each) => sum + each, 0)).toBeLessThan(1_500);
  });

  it("is not tried again for another reason, nor elsewhere", async () => {
    const missing = machine("win32", ["ENOENT"]);
    await expect(work(missing.system)).rejects.toThrow("ENOENT");
    const linux = machine("linux", ["EPERM"]);
    await expect(work(linux.system)).rejects.toThrow("EPERM");
    expect([missing.tries(), linux.tries()]).toEqual([1, 1]);
  });
});

it.each<[NodeJS.Platform, string, { taken: boolean; noLinks: boolean }]>([
  ["linux", "EEXIST", { taken: true, noLinks: false }],
  ["linux", "EPERM", { taken: false, noLinks: true }],
  ["darwin", "ENOTSUP", { taken: false, noLinks: true }],
  ["linux", "EACCES", { taken: false, noLinks: false }],
  ["linux", "ENOSPC", { taken: false, noLinks: false }],
  ["win32", "EEXIST", { taken: true, noLinks: false }],
  ["win32", "EPERM", { taken: true, noLinks: false }],
  ["win32", "EACCES", { taken: true, noLinks: false }],
  ["win32", "EBUSY", { taken: true, noLinks: false }],
  ["win32", "EISDIR", { taken: false, noLinks: true }],
  ["win32", "ENOSPC", { taken: false, noLinks: false }],
])("on %s a new name that fails with %s", (platform, code, { taken, noLinks }) => {
  expect(isTaken(failure(code), platform)).toBe(taken);
  expect(hasNoLinks(failure(code), platform)).toBe(noLinks);
});
