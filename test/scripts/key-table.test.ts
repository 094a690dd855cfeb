/** The table of keys that Lua has is the one that the host has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keyTable } from "../../scripts/lib/key-table.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { keyPresets, keyRows } from "../../src/conversation/keys.ts";
import { approvalKeys } from "../../src/transcript/decisions.ts";

const page = (path: string) => readFileSync(join(projectRoot, path), "utf8");

describe("the table of keys", () => {
  it("is in Lua as it is in TypeScript (npm run docs)", () => {
    const written = keyTable({ keyRows, keyPresets });
    expect(page("lua/parley/config/key_table.lua")).toBe(written);
    expect(keyTable({ keyRows: keyRows.slice(1), keyPresets })).not.toBe(written);
  });

  it("has a row for every decision, and presets of known names alone", () => {
    expect(keyRows.flatMap(({ decision }) => decision?.record ?? [])).toEqual(approvalKeys);
    const names = new Set(keyRows.map(({ name }) => name));
    for (const preset of Object.values(keyPresets)) {
      expect(Object.keys(preset).filter((name) => !names.has(name))).toEqual([]);
    }
  });

  it("is in the help, every name and every preset", () => {
    const help = page("doc/parley.txt");
    for (const { name, key } of keyRows) {
      expect(help).toMatch(new RegExp(`^\\t(?:\\S+|\\(none\\))\\t+${name}\\t`, "m"));
      if (key !== null) expect(help).toContain(`\t${key}\t`);
    }
    for (const name of Object.keys(keyPresets)) expect(help).toContain(`"${name}"`);
  });

  it("says in the format what every record means", () => {
    for (const record of approvalKeys)
      expect(page("doc/format.md")).toContain(`| \`[${record}]\` |`);
  });
});
