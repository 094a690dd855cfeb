/** A save that the system refuses: the file is as it was, nothing is left beside it, and a sentence says why. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { environmentIn } from "../../scripts/lib/editor.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { neovims } from "../support/neovims.ts";

const script = fileURLToPath(new URL("../soak/kill-save.lua", import.meta.url));
const old = `💬: one\n\n🤖:[demo]\n\n${"Words. ".repeat(3000)}\n`;

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "parley-save-"));
  mkdirSync(join(home, "chats"));
  file = join(home, "chats", "chat.md");
  writeFileSync(file, old);
});
afterEach(() => rmSync(home, { recursive: true }));

const refused = fileURLToPath(new URL("./refused-save.lua", import.meta.url));

/** Saves a changed chat that cannot be written, and what Neovim makes of it after that. */
function refuse(neovim: string, { limit = "", before = "" }) {
  const args = ["--headless", "-u", "NONE", "-i", "NONE", "--cmd", `set rtp^=${projectRoot}`];
  if (before !== "") args.push("--cmd", `lua ${before.replaceAll("\n", " ")}`);
  const said = join(home, "said");
  const ended = spawnSync("sh", ["-c", `${limit} exec "$0" "$@"`, neovim, ...args, "-l", refused], {
    env: environmentIn(home, { CHAT: file, SAID: said }),
    encoding: "utf8",
    timeout: 15_000,
  });
  // Neovim waits for ever where it asks a question.
  expect(ended.signal, ended.stderr).toBe(null);
  expect(existsSync(said), ended.stderr).toBe(true);
  return JSON.parse(readFileSync(said, "utf8"));
}

const fullDisk = "trap '' XFSZ; ulimit -f 8;";
/** Neovim's own write cuts the file off and fails. */
const cutOff = `local cmd = vim.cmd
  vim.cmd = setmetatable({}, { __index = cmd, __call = function(_, words)
    if type(words) == "table" or not words:find("noautocmd .*write!$") then return cmd(words) end
    io.open(vim.env.CHAT, "w"):close()
    error("Vim(write):E514: Write error (file system full?)")
  end })`;

/** Saves the chat with one more line in a Neovim of its own; what the save said. */
function save(neovim: string, { limit = "", before = "" } = {}): string {
  const args = ["--headless", "-n", "-u", "NONE", "-i", "NONE", "--cmd", `set rtp^=${projectRoot}`];
  if (before !== "") args.push("--cmd", `lua ${before}`);
  const ended = spawnSync("sh", ["-c", `${limit} exec "$0" "$@"`, neovim, ...args, "-l", script], {
    env: environmentIn(home, { KILL_AT: "0", KILL_PATH: file, KILL_COUNT: join(home, "said") }),
    encoding: "utf8",
    timeout: 15_000,
  });
  expect(ended.signal, ended.stderr).toBe(null);
  return readFileSync(join(home, "said"), "utf8").replace(/^\d+ /, "");
}

/** As many rows as there are ways of the system to say no. */
const refusals: readonly (readonly [string, Parameters<typeof save>[1], RegExp])[] = [
  [
    "a full disk",
    { limit: fullDisk },
    /^failed .*was not written, and is as it was: .*The text is in the buffer/,
  ],
  [
    "a rename that fails",
    { before: "vim.uv.fs_rename = function() return nil, 'EIO: i/o error', 'EIO' end" },
    /^failed .*EIO: i\/o error/,
  ],
];

const refusal = (name: string, code: string) =>
  `vim.uv.${name} = function() return nil, '${code}: refused', '${code}' end`;

describe.each(neovims)("a save in Neovim $version", ({ path }) => {
  it.each(refusals)("that meets %s leaves the file as it was", (_, how, said) => {
    expect(save(path, how)).toMatch(said);
    expect(readFileSync(file, "utf8")).toBe(old);
    expect(readdirSync(join(home, "chats"))).toEqual(["chat.md"]);
  });

  it("goes in place where the folder takes no other file", () => {
    const before = `local open = vim.uv.fs_open vim.uv.fs_open = function(name, how, mode)
      if how == "wx" then return nil, "EACCES" end return open(name, how, mode) end`.replaceAll(
      "\n",
      " ",
    );
    expect(save(path, { before })).toMatch(/^saved/);
    expect(readFileSync(file, "utf8")).toBe(`${old}new\n`);
    expect(readdirSync(join(home, "state", "nvim", "parley", "saving"))).toEqual([]);
  });

  it.each([
    ["one that is mounted itself", refusal("fs_rename", "EBUSY")],
    ["one that a program holds", refusal("fs_rename", "EPERM")],
    ["one whose rights no other file gets", refusal("fs_chmod", "ENOTSUP")],
  ])("goes in place into %s", (_, before) => {
    // What a new file does not get on its own.
    chmodSync(file, 0o666);
    expect(save(path, { before })).toMatch(/^saved/);
    expect(readFileSync(file, "utf8")).toBe(`${old}new\n`);
    expect(statSync(file).mode & 0o777).toBe(0o666);
    expect(readdirSync(join(home, "chats"))).toEqual(["chat.md"]);
  });

  it("asks for no rights where every file has them", () => {
    expect(save(path, { before: refusal("fs_chmod", "EIO") })).toMatch(/^saved/);
    expect(readFileSync(file, "utf8")).toBe(`${old}new\n`);
  });

  it.each([
    ["a full disk", { limit: fullDisk, before: "vim.o.swapfile = false" }, undefined],
    ["a rename that fails", { before: "vim.uv.fs_rename = function() return nil, 'EIO' end" }, 1],
  ])("that met %s is asked about by nobody later, and a crash keeps its text", (_, how, swap) => {
    const { answer, ...found } = refuse(path, how);
    expect(answer.message).toMatch(
      /was not written, and is as it was: .*The text is in the buffer/,
    );
    const expected = { modified: true, same: true, redone: true, written: true };
    expect(found).toMatchObject(swap === undefined ? expected : { ...expected, dirty: swap });
    expect(readFileSync(file, "utf8")).toBe("shorter\n");
  });

  it("that broke off in place puts back what was there", () => {
    linkSync(file, join(home, "other name.md"));
    const { answer, ...found } = refuse(path, { before: cutOff });
    expect(answer.message).toMatch(/is as it was: E514/);
    expect(found).toMatchObject({ modified: true, dirty: 1, same: true, written: true });
    expect(readdirSync(join(home, "state", "nvim", "parley", "saving"))).toEqual([]);
  });

  it("that broke off in place for good says so, and where the whole text is", () => {
    linkSync(file, join(home, "other name.md"));
    const never = "vim.uv.fs_write = function() return nil, 'ENOSPC' end";
    const { answer, ...found } = refuse(path, { before: `${cutOff} ${never}` });
    expect(found).toMatchObject({ modified: true, dirty: 1, written: true });
    const [, copy = ""] =
      /was not written: E514.* The file is incomplete; a copy of the whole text is (\S+)\. /.exec(
        answer.message,
      ) ?? [];
    expect(readFileSync(copy, "utf8")).toBe(`new\n${old}`);
  });

  it("makes a folder again that vanished", () => {
    const before = `vim.api.nvim_create_autocmd("BufReadPost", { callback = function() vim.fn.delete(vim.fn.expand("%:h"), "rf") end })`;
    expect(save(path, { before })).toMatch(/^saved/);
    expect(readFileSync(file, "utf8")).toBe(`${old}new\n`);
  });
});
