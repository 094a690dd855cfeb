/** What is kept in the state folder is believed as long as nobody else may write there. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkRights, readOwn } from "../../../src/app/state/own-files.ts";
import { loadPieces, recordedSince } from "../../../src/app/state/written-pieces.ts";
import { isOwn } from "../../../src/system/ownership.ts";
import { folderWith } from "../../scripts/folder.ts";

it("is reported if the file system lets everybody write, and nothing is left there", () => {
  const folder = join(folderWith({}), "state");
  checkRights(folder);
  const open = (file: { readonly uid: number }) => isOwn({ ...file, mode: 0o100777 }, reader);
  const reader = { platform: "linux", uid: process.getuid?.() ?? 0 } as const;
  expect(() => checkRights(folder, open)).toThrow("lets everybody write there");
  expect(readdirSync(folder)).toEqual([]);
});

const damage: Readonly<Record<string, (path: string) => void>> = {
  "a folder": (path) => mkdirSync(path),
  "a link to itself": (path) => symlinkSync(path, path),
  "a link to a file": (path) => symlinkSync("/etc/hosts", path),
  "a pipe": (path) => void execFileSync("mkfifo", [path]),
  "a text that is too long": (path) => writeFileSync(path, "x".repeat(100_000)),
};

it.skipIf(process.platform === "win32").each(Object.entries(damage))(
  "%s in the place of a record counts as none, and stops nobody",
  async (_, put) => {
    const folder = folderWith({});
    const path = join(folder, "record");
    expect(await readOwn(path)).toBe("gone");
    put(path);
    expect(await readOwn(path)).toBe("foreign");
    mkdirSync(join(folder, "written"));
    put(join(folder, "written", "since"));
    expect(await recordedSince(folder)).toBeTypeOf("number");
    expect(await loadPieces(folder, "/chats/a.md")).toBeNull();
  },
);
