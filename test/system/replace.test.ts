/** Replacing and removing open files, names that are taken, and making folders, for each system. */
import { mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type FileSystem,
  hasNoLinks,
  isTaken,
  makeFolder,
  makeFolderNow,
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
  ["replaceBy", (system: FileSystem) => replaceBy("a", "b", system)],
  ["removeFile", (system: FileSystem) => removeFile("a", system)],
])("%s", (_, work) => {
  it("tries again on Windows while another program has the file open", async () => {
    const busy = machine("win32", ["EPERM", "EBUSY", "EACCES"]);
    await work(busy.system);
    expect([busy.tries(), busy.waited.length]).toEqual([4, 3]);
  });

  it("gives up after about a second with the system's error", async () => {
    const busy = machine("win32", Array(50).fill("EPERM"));
    await expect(work(busy.system)).rejects.toThrow("EPERM");
    expect(busy.waited.reduce((sum, each) => sum + each, 0)).toBeLessThan(1_500);
  });

  it("does not try again after other errors or on other systems", async () => {
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
])(
  "on %s, isTaken and hasNoLinks classify a failure with %s",
  (platform, code, { taken, noLinks }) => {
    expect(isTaken(failure(code), platform)).toBe(taken);
    expect(hasNoLinks(failure(code), platform)).toBe(noLinks);
  },
);

describe.each([
  ["makeFolder", makeFolder],
  ["makeFolderNow", async (path: string, mode?: number) => makeFolderNow(path, mode)],
])("%s", (_, make) => {
  const open = () => mkdtempSync(join(tmpdir(), "parley-folders-"));
  const isFolder = (path: string) => statSync(path).isDirectory();

  it("makes missing parent folders with the same permissions", async () => {
    const folder = join(open(), "a", "b", "c");
    await make(folder, 0o700);
    const rights = (path: string) => statSync(path).mode & 0o777;
    if (process.platform !== "win32") expect(rights(folder)).toBe(0o700);
    expect(rights(join(folder, ".."))).toBe(rights(folder));
    await make(folder);
    expect(rights(join(folder, "..", ".."))).toBe(rights(folder));
  });

  it("succeeds when the folder is made several times at once", async () => {
    const folder = join(open(), "a", "b");
    await Promise.all([make(folder), make(folder), make(join(folder, "c"))]);
    expect(isFolder(join(folder, "c"))).toBe(true);
  });

  it("follows links to folders", async () => {
    const folder = open();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "link"), "dir");
    await make(join(folder, "link"));
    await make(join(folder, "link", "new"));
    expect(isFolder(join(folder, "real", "new"))).toBe(true);
  });

  it("fails when a file or a dangling link is in the way", async () => {
    const folder = open();
    writeFileSync(join(folder, "file"), "");
    symlinkSync("nowhere", join(folder, "dangling"));
    await expect(make(join(folder, "file"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(make(join(folder, "file", "below"))).rejects.toThrow();
    await expect(make(join(folder, "dangling", "below"))).rejects.toThrow();
  });

  // Such a call never returned and kept a core busy, even after Neovim had quit.
  it.runIf(process.platform === "linux")(
    "fails in a place where the system makes no folders",
    async () => {
      await expect(make("/proc/parley")).rejects.toMatchObject({ code: "ENOENT" });
      await expect(make("/proc/parley/a/b")).rejects.toMatchObject({ code: "ENOENT" });
    },
  );
});
