import { describe, expect, it } from "vitest";
import { areInstalled } from "../../scripts/lib/deps.mjs";
import { folderWith } from "./folder.ts";

const wanted = {
  "": { name: "parley-nvim" },
  "node_modules/a": { integrity: "a1" },
  "node_modules/b": { integrity: "b1", dev: true },
  "node_modules/c": { integrity: "c1", optional: true },
};

function project(installed: object | undefined): string {
  return folderWith({
    "package-lock.json": JSON.stringify({ packages: wanted }),
    ...(installed && {
      "node_modules/.package-lock.json": JSON.stringify({ packages: installed }),
    }),
  });
}

const a = { "node_modules/a": { integrity: "a1" } };
const b = { "node_modules/b": { integrity: "b1" } };

describe("areInstalled", () => {
  it("is true when only optional packages are missing", async () => {
    expect(await areInstalled({ root: project({ ...a, ...b }) })).toBe(true);
  });

  it("does not require development packages in production", async () => {
    expect(await areInstalled({ root: project(a), production: true })).toBe(true);
    expect(await areInstalled({ root: project(a) })).toBe(false);
    expect(await areInstalled({ root: project(b), production: true })).toBe(false);
  });

  it("is false when a package differs from the lock file or npm's list of installed packages is missing", async () => {
    const other = { ...b, "node_modules/a": { integrity: "a0" } };
    expect(await areInstalled({ root: project(other) })).toBe(false);
    expect(await areInstalled({ root: project(undefined) })).toBe(false);
  });
});
