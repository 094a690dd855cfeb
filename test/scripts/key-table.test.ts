/** Lua and the host use the same table of keys. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keyTable } from "../../scripts/lib/key-table.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { type KeyRow, keyPresets, keyRows } from "../../src/conversation/keys.ts";
import { approvalKeys } from "../../src/transcript/decisions.ts";
import { oneNeovim } from "../support/neovims.ts";

const literal = (text: string) => text.replaceAll(/[()[\]?^$.*+]/g, "\\$&");
const page = (path: string) => readFileSync(join(projectRoot, path), "utf8");

describe("the table of keys", () => {
  it("is generated for Lua from the TypeScript table (npm run docs)", () => {
    const written = keyTable({ keyRows, keyPresets });
    expect(page("lua/parley/config/key_table.lua")).toBe(written);
    expect(keyTable({ keyRows: keyRows.slice(1), keyPresets })).not.toBe(written);
  });

  it("has a row for every decision, and its presets contain only known names", () => {
    expect(keyRows.flatMap(({ decision }) => decision?.record ?? [])).toEqual(approvalKeys);
    const names = new Set(keyRows.map(({ name }) => name));
    for (const preset of Object.values(keyPresets)) {
      expect(Object.keys(preset).filter((name) => !names.has(name))).toEqual([]);
    }
  });

  it("is in the help with every name and every preset", () => {
    const help = page("doc/parley.txt");
    const row = ({ name, key }: KeyRow) =>
      new RegExp(`^\\t${literal(key ?? "(none)")}\\t+${name}\\t`, "m");
    expect(keyRows.filter((one) => !row(one).test(help)).map(({ name }) => name)).toEqual([]);
    expect(Object.keys(keyPresets).filter((name) => !help.includes(`"${name}"`))).toEqual([]);
  });

  it("maps every name to a decision, an action or a command that exists", () => {
    const code = `
      local actions, commands = require("parley.actions"), require("parley.commands").complete("Parley ", 7)
      for _, row in ipairs(require("parley.config.key_table").rows) do
        if not (row.decision or actions[row.name] or vim.tbl_contains(commands, row.name)) then print(row.name) end
      end`;
    const args = ["--clean", "--headless", "--cmd", `set rtp^=${projectRoot}`, "-c", `lua ${code}`];
    const { stdout, stderr } = spawnSync(oneNeovim[0]!.path, [...args, "-c", "qa!"], {
      encoding: "utf8",
    });
    expect(stdout + stderr).toBe("");
  });

  it("has an explanation of every approval record in doc/format.md", () => {
    for (const record of approvalKeys)
      expect(page("doc/format.md")).toContain(`| \`[${record}]\` |`);
  });
});
