/** One key that shows the chat that was visited last, and hides it again. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const chat = ["---", "topic: t", "---", "", "💬: one", "", "🤖:[x]", ""];
for (let at = 1; at <= 60; at += 1) chat.push(`line ${at}`);
chat.push("", "💬: ");

describe.each(neovims)("the toggle of the last chat on Neovim $version", (neovim) => {
  let editor: Editor;
  beforeAll(async () => {
    editor = await startEditor(neovim);
    for (const name of ["code.txt", "other.txt"]) {
      writeFileSync(join(editor.folder, name), "one\ntwo\nthree\nfour\n");
    }
    await editor.nvim.command(`cd ${editor.folder}`);
  });
  afterAll(() => editor.quit());
  beforeEach(async () => {
    await editor.press("<C-\\><C-n>");
    await editor.nvim.command("silent! autocmd! failing");
    await editor.nvim.command("silent! tabonly | silent! only | silent! %bwipeout!");
    await editor.lua("Notified = {} Received = {}");
    await editor.nvim.command("edit code.txt");
  });

  /** The windows of this tab page as names, with what shows their places. */
  const layout = () =>
    editor.lua<unknown>(`local function named(each)
      if each[1] == "leaf" then
        return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(each[2])), ":t")
      end
      return { each[1], unpack(vim.tbl_map(named, each[2])) }
    end
    return named(vim.fn.winlayout())`);
  const name = () => editor.lua<string>("return vim.fn.expand('%:t')");
  const view = () =>
    editor.lua("local v = vim.fn.winsaveview() return { v.lnum, v.col, v.topline }");
  const size = () =>
    editor.lua("return { vim.api.nvim_win_get_width(0), vim.api.nvim_win_get_height(0) }");
  const toggle = (before = "") => editor.nvim.command(`${before} Parley toggle`);
  const settled = () => editor.lua("vim.wait(1)");

  it("shows a split beside the code and closes it, with the same place in it each time", async () => {
    await editor.openChat("a.md", chat);
    await editor.nvim.command("edit code.txt");
    await toggle("vertical");
    expect(await layout()).toEqual(["row", "a.md", "code.txt"]);
    await editor.nvim.command("wincmd x | 2wincmd w | vertical resize 33 | normal! 40Gzt3l");
    await settled();
    const [placed, sized] = [await view(), await size()];
    expect(await layout()).toEqual(["row", "code.txt", "a.md"]);
    await toggle("vertical");
    expect(await layout()).toBe("code.txt");
    await toggle("vertical");
    expect(await layout()).toEqual(["row", "code.txt", "a.md"]);
    expect([await name(), await view(), await size()]).toEqual(["a.md", placed, sized]);
    // From the code, too: the cursor stays there.
    await editor.nvim.command("1wincmd w");
    await toggle("vertical");
    expect([await layout(), await name()]).toEqual(["code.txt", "code.txt"]);
    // Another command wants another place.
    await toggle();
    expect(await layout()).toEqual(["col", "a.md", "code.txt"]);
    expect(await view()).toEqual(placed);
  });

  it.each([
    ...["WinLeave", "WinEnter", "WinNew", "WinClosed"],
    ...["BufLeave", "BufEnter", "BufWinEnter", "BufWinLeave", "BufHidden"],
  ])("hides and shows a chat where an autocommand fails at %s", async (event) => {
    await editor.openChat("a.md", chat);
    await editor.nvim.command("edit code.txt");
    await editor.lua(`vim.api.nvim_create_autocmd("${event}", {
      group = vim.api.nvim_create_augroup("failing", {}),
      callback = function() local nothing return nothing.field end,
    })`);
    const key = () => editor.lua("vim.cmd('vertical Parley toggle')");
    for (let round = 0; round < 2; round += 1) {
      await key();
      expect(await layout()).toEqual(["row", "a.md", "code.txt"]);
      await key();
      expect(await layout()).toBe("code.txt");
    }
    // In the only window.
    await editor.nvim.command("silent! only");
    await editor.lua(
      "require('parley.screen.windows.open').go(..., 'edit')",
      `${editor.folder}/chats/a.md`,
    );
    await key();
    expect(await layout()).toBe("code.txt");
    await key();
    expect(await layout()).toBe("a.md");
  });

  it("gives a window back to the file that it showed", async () => {
    await editor.nvim.command("normal! 3G");
    await editor.openChat("b.md", chat);
    await editor.nvim.command("normal! 30Gzt");
    const placed = await view();
    await toggle();
    expect([await layout(), await editor.lua("return vim.fn.line('.')")]).toEqual(["code.txt", 3]);
    await toggle();
    expect([await layout(), await view()]).toEqual(["b.md", placed]);
    // Beside another file, too, which is not shown twice.
    await editor.nvim.command("vsplit other.txt | 2wincmd w");
    await toggle();
    expect(await layout()).toEqual(["row", "other.txt", "code.txt"]);
    await toggle();
    expect(await layout()).toEqual(["row", "other.txt", "b.md"]);
    await editor.nvim.command("1wincmd w | edit code.txt");
    await toggle();
    expect(await layout()).toBe("code.txt");
    await toggle();
    expect(await layout()).toEqual(["row", "code.txt", "b.md"]);
  });

  it("keeps a text that is not saved, and a window that has nothing to go back to", async () => {
    await editor.nvim.command("set nohidden");
    await editor.openChat("c.md", chat);
    await editor.lua("vim.fn.setline(vim.fn.line('$'), '💬: mine')");
    await editor.nvim.command("bwipeout code.txt");
    await toggle();
    expect([await layout(), await editor.lua("return vim.bo.modified")]).toEqual(["", false]);
    await toggle();
    expect([await name(), await editor.lua("return vim.bo.modified")]).toEqual(["c.md", true]);
    await toggle();
    await toggle();
    expect(await editor.lua("return #vim.fn.getbufinfo({ buflisted = 1 })")).toBe(2);
    await editor.nvim.command("set hidden");
  });

  it("goes back to no chat that only has a name, as a session's", async () => {
    editor.writeChat("n.md", chat);
    await editor.openChat("o.md", chat);
    await editor.nvim.command("bwipeout code.txt | badd chats/n.md");
    await toggle();
    expect(await name()).toBe("");
  });

  it("goes where an answer is by then when the window was at the end", async () => {
    const buf = await editor.openChat("d.md", chat);
    await editor.nvim.command("edit code.txt");
    await toggle();
    await editor.nvim.command("normal! G$");
    await toggle();
    await editor.lua("vim.api.nvim_buf_set_lines(..., -1, -1, true, { 'more', '', '💬: ' })", buf);
    await toggle();
    expect(await editor.lua("return vim.fn.getline('.') .. vim.fn.line('.')")).toBe(
      `💬: ${chat.length + 3}`,
    );
    await editor.nvim.command("normal! 9G");
    await toggle();
    await editor.lua("vim.api.nvim_buf_set_lines(..., -1, -1, true, { 'more', '', '💬: ' })", buf);
    await toggle();
    expect(await editor.lua("return vim.fn.line('.')")).toBe(9);
  });

  it("leaves and finds Insert mode as it was in the chat", async () => {
    await editor.openChat("e.md", chat);
    await editor.nvim.command("edit code.txt | inoremap <F5> <Cmd>Parley toggle<CR>");
    await editor.nvim.command("nmap <F5> <Plug>(parley-toggle)");
    await editor.press("<F5>GAhal");
    await poll("words", async () => (await editor.lua("return vim.fn.getline('.')")) === "💬: hal");
    await editor.press("<F5>");
    await poll("the code", async () => (await name()) === "code.txt");
    await editor.press("x<F5>f<Esc>");
    await poll(
      "more words",
      async () => (await editor.lua("return vim.fn.getline('.')")) === "💬: half",
    );
    await editor.press("<F5>iz<F5>x");
    // Normal mode was left there: `x` is no word of the chat.
    await poll(
      "a letter less",
      async () => (await editor.lua("return vim.fn.getline('.')")) === "💬: hal",
    );
    await editor.nvim.command("wincmd w");
    expect(await editor.lines()).toEqual(["zne", "two", "three", "four"]);
  });

  it("keeps a selection for gv and takes no count for a range", async () => {
    await editor.openChat("f.md", chat);
    await editor.nvim.command("edit code.txt | xmap <F5> <Plug>(parley-toggle)");
    await editor.press("2GVj<F5>");
    await poll("the chat", async () => (await name()) === "f.md");
    await toggle("3");
    await editor.press("gvd");
    await poll("the lines gone", async () => (await editor.lines()).join() === "one,four");
    await editor.nvim.command("edit!");
  });

  it("has a window in each tab page, and closes the tab page that it made", async () => {
    await editor.openChat("g.md", chat);
    await editor.nvim.command("normal! 40Gzt");
    const placed = await view();
    await editor.nvim.command("tabnew other.txt");
    await toggle("vertical");
    expect(await view()).toEqual(placed);
    await editor.nvim.command("tabprevious | edit code.txt | tabnext");
    await editor.nvim.command("tabprevious");
    await toggle();
    expect(await layout()).toEqual(["col", "g.md", "code.txt"]);
    await toggle();
    await editor.nvim.command("tabnext");
    expect(await layout()).toEqual(["row", "g.md", "other.txt"]);
    await toggle();
    await editor.nvim.command("tabprevious");
    await toggle("tab");
    expect([await name(), await editor.lua("return vim.fn.tabpagenr('$')")]).toEqual(["g.md", 3]);
    await toggle("tab");
    expect([await name(), await editor.lua("return vim.fn.tabpagenr('$')")]).toEqual([
      "code.txt",
      2,
    ]);
  });

  it("takes no part of a list, a tree or a float", async () => {
    await editor.openChat("h.md", chat);
    await editor.nvim.command("edit code.txt | leftabove 20vnew | setlocal buftype=nofile");
    await toggle();
    expect(await layout()).toEqual(["col", ["row", "", "code.txt"], "h.md"]);
    await toggle();
    expect(await layout()).toEqual(["row", "", "code.txt"]);
    await editor.lua(`vim.cmd("only")
      vim.api.nvim_open_win(0, true, { relative = "editor", row = 1, col = 1, width = 40, height = 9 })
      vim.cmd.edit("chats/h.md")`);
    await toggle();
    expect(await editor.lua("return #vim.api.nvim_list_wins()")).toBe(1);
    await toggle();
    expect(await editor.lua("return vim.api.nvim_win_get_config(0).width")).toBe(40);
    await toggle();
    // A float on a window that is gone meanwhile.
    await editor.nvim.command("vsplit other.txt");
    await editor.lua(`local on = vim.api.nvim_get_current_win()
      local place = { relative = "win", win = on, row = 1, col = 1, width = 30, height = 9 }
      vim.api.nvim_open_win(vim.fn.bufnr("h.md"), true, place)
      vim.cmd("Parley toggle")
      vim.api.nvim_win_close(on, true)`);
    await toggle();
    expect(await layout()).toEqual(["col", "", "h.md"]);
  });

  it("finds the chat that was closed, the one asked from here, the newest, or begins one", async () => {
    await editor.openChat("i.md", chat);
    await editor.nvim.command("edit code.txt | bdelete i.md");
    await toggle();
    expect(await name()).toBe("i.md");
    await editor.lua("require('parley.text.chats.project_chat').remember(0)");
    // One that is no chat any more is not gone back to.
    const elsewhere = editor.writeChat("j.md", chat);
    await editor.nvim.command("edit chats/j.md");
    rmSync(elsewhere);
    await editor.nvim.command("edit code.txt | bwipeout! j.md | only");
    await toggle();
    expect(await name()).toBe("i.md");
    rmSync(join(editor.folder, "chats", "i.md"));
    const newest = editor.writeChat("k.md", chat);
    const listed = async (rows: readonly object[]) => {
      await editor.nvim.command("silent! %bwipeout! | edit code.txt | only");
      await toggle();
      const asked = await poll("the question", async () => (await editor.received("chats")).at(-1));
      await editor.call("chats", { id: asked["id"], rows });
    };
    await listed([{ path: newest }]);
    expect(await layout()).toEqual(["col", "k.md", "code.txt"]);
    rmSync(newest);
    await editor.lua("Received = {}");
    await listed([]);
    expect(await editor.lines()).toEqual(["---", "topic: ?", "---", "", "💬: "]);
    expect(await editor.lua("return #vim.api.nvim_list_wins()")).toBe(2);
  });

  it("goes back to none that was detached, and says where no window can be", async () => {
    const buf = await editor.openChat("l.md", chat);
    await editor.openChat("m.md", chat);
    await editor.nvim.command("edit code.txt | buffer l.md | Parley detach | edit code.txt");
    await toggle();
    expect(await editor.lua("return vim.api.nvim_get_current_buf()")).not.toBe(buf);
    await editor.nvim.command("only | edit chats/m.md | edit code.txt");
    await editor.press("q:");
    await poll("the window", () => editor.lua("return vim.fn.getcmdwintype() == ':'"));
    const told = "Nothing was opened: the command-line window is the only one; :q closes it.";
    for (const command of [
      "Parley toggle",
      "Parley new",
      "Parley chats",
      "normal \\<Plug>(parley-new)",
    ]) {
      await editor.lua("Notified = {}");
      await editor.nvim.command(`execute "${command}"`);
      expect(await editor.lua("return Notified")).toEqual([told]);
    }
    await editor.nvim.command("Parley stop");
    await poll("the stop", async () => (await editor.received("stop")).length === 1);
    await editor.press("<C-c><C-c>");
  });
});
