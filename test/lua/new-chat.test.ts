/** A new chat: its name, its file, and what it says before anything is typed. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

describe.each(neovims)("a new chat on Neovim $version", (neovim) => {
  let editor: Editor;
  const messages = (action: string, count: number) =>
    poll(`${count} × ${action}`, async () => {
      const all = await editor.received(action);
      return all.length >= count && all;
    });
  beforeEach(async () => {
    editor = await startEditor(neovim);
  });
  afterEach(() => editor.quit());

  it("gets its name from its first words, when it is written or sent, and never again", async () => {
    const day = String(await editor.lua("return os.date('%Y-%m-%d')"));
    const name = () => editor.lua("return vim.fn.expand('%:t')");
    const ask = async (text: string) => {
      await editor.nvim.command("stopinsert | Parley new");
      await editor.lua("vim.api.nvim_buf_set_lines(0, -2, -1, false, ...)", text.split("\n"));
    };
    await ask("💬: ");
    expect(await name()).toMatch(/^\d{4}-\d\d-\d\d\.\d\d-\d\d-\d\d\.\d{3}\.md$/);
    await ask("💬: @@./a.ts@@ What's Google's\nstock price, *today*?");
    await editor.press("<Esc>:write<CR>");
    expect(await name()).toBe(`${day}-whats-googles-stock-price-today.md`);
    await editor.nvim.command("call setline('$', 'changed') | write");
    expect(await name()).toBe(`${day}-whats-googles-stock-price-today.md`);
    await ask("💬: whats googles stock price today");
    await editor.press(`<Esc>:write ${join(editor.folder, "copy.md")}<CR>`);
    expect(await name()).toMatch(/\.\d{3}\.md$/);
    await editor.press("<Esc><C-g><C-g>");
    await messages("respond", 1);
    expect(await name()).toBe(`${day}-whats-googles-stock-price-today-2.md`);
    // The host knows the name before it is asked for an answer.
    const [named, told] = (await editor.received()).slice(-2);
    expect(named?.["path"]).toBe(join(editor.folder, "chats", String(await name())));
    expect(told).toMatchObject({ action: "respond", buf: named?.["buf"] });
    // A plugin that writes while somebody types names nothing, nor do too few words; an answer does.
    await ask("💬: what");
    const written = String(await name());
    await editor.press("<Esc>A");
    await editor.lua("vim.cmd('silent write')");
    await editor.press(" is<Esc>:write<CR>");
    expect(await name()).toBe(written);
    expect(existsSync(join(editor.folder, "chats", written))).toBe(true);
    await editor.press("A tin?");
    await editor.lua("vim.cmd('silent write')");
    expect(await name()).toBe(written);
    await editor.press("<Esc>:write<CR>");
    expect(await name()).toBe(`${day}-what-is-tin.md`);
    expect(existsSync(join(editor.folder, "chats", written))).toBe(false);
    const file = join(editor.folder, "chats", `${day}-what-is-tin.md`);
    expect(readFileSync(file, "utf8")).toContain("what is tin?");
    await editor.nvim.command("call setline('$', '💬: more') | write");
    expect(readFileSync(file, "utf8")).toContain("💬: more");
    await ask("💬: zinc");
    await editor.press("<Esc>:write<CR>");
    expect(await name()).toMatch(/\.\d{3}\.md$/);
    await editor.press("<Esc><C-g><C-g>");
    expect(await name()).toBe(`${day}-zinc.md`);
    expect(readFileSync(join(editor.folder, "chats", `${day}-zinc.md`), "utf8")).toContain("zinc");
    expect(await editor.lua("return vim.bo.modified")).toBe(false);
    await editor.press("<Esc>:write<CR>");
    // A name that a user gave stays.
    await ask("💬: another");
    await editor.nvim.command(`file ${join(editor.folder, "chats", "mine.md")} | write`);
    expect(await name()).toBe("mine.md");
    const slugs = [
      "Цены на золото?",
      "金の値段は",
      "../../x/y.md",
      "\u202e\u200b…",
      "a".repeat(99),
    ];
    const slugsOf = "return vim.tbl_map(require('parley.text.chats.chat_name').slug, ...)";
    const made = await editor.lua(slugsOf, slugs);
    expect(made).toEqual(["цены-на-золото", "金の値段は", "x-y-md", "", "a".repeat(48)]);
  });

  it("keeps the name of a file that somebody holds open, and its text in one file", async () => {
    await editor.nvim.command("Parley new");
    await editor.press("zinc<Esc>:write<CR>");
    const name = String(await editor.lua("return vim.fn.expand('%:t')"));
    await editor.lua(
      "require('parley.system').rename = function() return nil, 'EBUSY', 'EBUSY' end",
    );
    await editor.press("<C-g><C-g>");
    await messages("respond", 1);
    expect(await editor.lua("return vim.fn.expand('%:t')")).toBe(name);
    expect(readdirSync(join(editor.folder, "chats"))).toEqual([name]);
  });

  it("has nothing to save and nothing to undo until something is typed", async () => {
    await editor.nvim.command("Parley new");
    const fresh = await editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)");
    expect(fresh).toEqual(["---", "topic: ?", "---", "", "💬: "]);
    await editor.press("what<Esc>uuu");
    expect(await editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")).toEqual(fresh);
    await editor.nvim.command("bdelete");
    await editor.nvim.command("Parley new");
    await editor.press("what<Esc>");
    await expect(editor.nvim.command("bdelete")).rejects.toThrow(/E89/);
    await editor.nvim.command("bdelete!");
  });

  it("says in its empty question which key sends it, until something is typed", async () => {
    const row = async () => (await editor.screen()).find((text) => text.startsWith("💬:"));
    await editor.lua("require('parley').new()");
    const hint = "<C-g><C-g> sends your question, <C-g>? lists the keys";
    await poll("the hint", async () => (await row())?.includes(hint));
    await editor.press("h");
    await poll("what was typed", async () => (await row())?.trimEnd() === "💬: h");
    await editor.lua("require('parley').setup({ keys = { respond = '<CR>', help = false } })");
    await editor.lua("require('parley').new()");
    await poll("the hint", async () => (await row())?.endsWith("<CR> sends your question"));
    await editor.press("<Esc>");
    await editor.lua("require('parley.bring').ask({ words = { 'why?' } })");
    await poll("the hint", async () => (await row()) === "💬: why? <CR> sends your question");
    await editor.press("x<Esc>");
    await poll("the text alone", async () => (await row())?.trimEnd() === "💬: why?x");
    await editor.lua("vim.fn.append('$', { '', '🤖: because', '' })");
    await editor.lua("require('parley.bring').ask({ words = { 'more?' } })");
    await poll("the question", async () => (await editor.lines()).at(-1) === "💬: more?");
    expect((await editor.screen()).join("\n")).not.toContain("sends your question");
    await editor.lua("require('parley').new({ text = 'why?' })");
    await poll("the text alone", async () => (await row())?.trimEnd() === "💬: why?");
  });
});
