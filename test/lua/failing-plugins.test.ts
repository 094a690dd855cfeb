/** The file of a chat is renamed, moved, deleted and read again where an autocommand of another plugin fails at it. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const events = [
  ...["BufLeave", "BufWinLeave", "BufHidden", "BufNew", "BufAdd", "BufReadPre", "BufReadPost"],
  ...["BufWinEnter", "BufEnter", "BufFilePre", "BufFilePost", "BufUnload", "BufDelete"],
  ...["BufWipeout", "BufWritePre", "BufWritePost", "WinLeave", "WinEnter", "FileType"],
];
const chat = ["---", "topic: x", "---", "", "💬: one"];

describe.each(neovims)("a chat beside a plugin that fails in Neovim $version", (neovim) => {
  let editor: Editor;
  let count = 0;
  beforeAll(async () => {
    editor = await startEditor(neovim);
  });
  afterAll(() => editor.quit());

  /** Fails from now on at the event, where a file is concerned, as the function `work` goes on. */
  async function failing(event: string, work: () => Promise<unknown>): Promise<void> {
    await editor.lua(
      `Notified = {}
      vim.cmd("messages clear")
      Failing = vim.api.nvim_create_autocmd(..., { callback = function()
        if vim.bo.buftype == "" then error("no good") end
      end })`,
      event,
    );
    await work();
    await editor.lua("vim.api.nvim_del_autocmd(Failing)");
  }
  async function open(): Promise<{ path: string; buffer: number }> {
    await editor.lua("vim.cmd('silent! %bwipeout!')");
    count += 1;
    const buffer = await editor.openChat(`chat-${count}.md`, chat);
    return { path: String(await editor.lua("return vim.api.nvim_buf_get_name(0)")), buffer };
  }
  /** What was said but for the failure itself, which is told once in a Neovim. */
  const said = async () =>
    (await editor.lua<string[]>("return Notified")).filter((text) => !text.includes("no good"));
  const here = () => editor.lua("return vim.api.nvim_buf_get_name(0)");

  it.each(events)("follows its file where %s fails", async (event) => {
    const { path, buffer } = await open();
    const to = join(dirname(path), `moved-${count}.md`);
    // The host has linked it there.
    writeFileSync(to, readFileSync(path));
    const tick = await editor.tick(buffer);
    await failing(event, async () => {
      expect(await editor.call("chat_moved", path, to, tick, false)).toMatchObject({
        has_all: true,
      });
    });
    expect(await said()).toEqual([expect.stringMatching(/^chat-\d+\.md is now .*moved-\d+\.md$/)]);
    expect([await here(), existsSync(path)]).toEqual([to, false]);
    expect(await editor.lines()).toEqual(chat);
    expect(await editor.lua("return vim.bo.modified")).toBe(false);
    // It goes on as the file's own: what is typed is saved without a question.
    await editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'more' })");
    const saved = await editor.lua("return require('parley.text.file.save').save((...))", buffer);
    expect(saved).toEqual({ status: "saved" });
    expect(readFileSync(to, "utf8")).toBe(`${[...chat, "more"].join("\n")}\n`);
  });

  it.each(events)("is removed with its file where %s fails", async (event) => {
    const { path, buffer } = await open();
    const to = join(editor.folder, `trash-${count}.md`);
    writeFileSync(to, readFileSync(path));
    const tick = await editor.tick(buffer);
    await failing(event, () => editor.call("chat_moved", path, to, tick, true));
    expect(await said()).toEqual([expect.stringContaining("is in the trash now")]);
    expect(await editor.lua("return vim.api.nvim_buf_is_valid((...))", buffer)).toBe(false);
    expect(existsSync(path)).toBe(false);
  });

  it.each(events)("is read again where %s fails", async (event) => {
    const { path, buffer } = await open();
    await editor.lua(`vim.ui.select = function(items, _, choose) choose(items[3]) end
      vim.api.nvim_buf_set_lines(0, -1, -1, false, { "mine" })`);
    writeFileSync(`${path}.new`, `${[...chat, "theirs"].join("\n")}\n`);
    renameSync(`${path}.new`, path);
    await failing(event, async () => {
      await editor.lua("return require('parley.text.file.save').save((...))", buffer);
      await poll("the file's text", async () => (await editor.lines()).at(-1) === "theirs");
    });
    expect(await said()).toEqual([]);
    expect(await editor.lines()).toEqual([...chat, "theirs"]);
    expect(await editor.lua("return vim.bo.modified")).toBe(false);
  });

  it.each(events)("gets its name when it is asked where %s fails", async (event) => {
    await editor.lua("vim.cmd('silent! %bwipeout!')");
    await editor.nvim.command("stopinsert | Parley new");
    await editor.lua(
      "vim.api.nvim_buf_set_lines(0, -2, -1, false, { ... })",
      `💬: why ${event} ${count}`,
    );
    await editor.nvim.command("stopinsert");
    count += 1;
    const before = (await editor.received("respond")).length;
    await failing(event, async () => {
      await editor.press("<Esc><C-g><C-g>");
      await poll("the request", async () => (await editor.received("respond")).length > before);
    });
    expect(await said()).toEqual([]);
    expect(await here()).toMatch(/-why-[a-z]+-\d+\.md$/);
  });
});
