/** Parley's floating windows when the user leaves their tab page, or the screen gets another size. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const long = `It starts here, ${"goes on and on, ".repeat(9)}and ends here.`;

describe.each(neovims)("in another tab page of Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    // As Neovim's own looks to the plugin: it comes from a file of the runtime.
    const before = `vim.notify = load("return function() end", "@vim/_own.lua")()`;
    editor = await startEditor(neovim, { before });
  });
  afterEach(() => editor.quit());

  it.each([
    ["a message", `require("parley.messages.notify").notify(${JSON.stringify(long)})`],
    ["a message at the cursor", `require("parley.messages.notify").beside("It says why.")`],
    ["a text", `require("parley.screen.windows.float").text({ "one" }, "Title")`],
    ["a text to read", `require("parley.screen.windows.float").read({ "one" }, "Title", print)`],
    ["the keys", `require("parley.screen.windows.float").help({ { "K", "more" } })`],
    ["the list of chats", `require("parley.pickers.chats").open()`],
  ])("the window below %s can be closed", async (_, open) => {
    await editor.lua("vim.cmd('edit one | set bufhidden=hide')");
    const buf = await editor.lua<number>("return vim.api.nvim_get_current_buf()");
    await editor.lua(open);
    expect(await editor.lua("return #vim.api.nvim_list_wins()")).toBeGreaterThan(1);
    await editor.lua("vim.cmd('tabnew | bwipeout! ' .. (...))", buf);
    expect(await editor.lua("return #vim.api.nvim_list_tabpages()")).toBe(1);
  });

  it.each([1, 2, 3])(
    "the list of chats ends with its window %i, and an answer before that is dropped",
    async (number) => {
      await editor.lua("vim.cmd('tabnew') require('parley.pickers.chats').open()");
      await editor.lua(
        `local floats = vim.tbl_filter(function(win)
          return vim.api.nvim_win_get_config(win).relative ~= ""
        end, vim.api.nvim_list_wins())
        assert(#floats == 3)
        vim.api.nvim_win_close(floats[(...)], true)
        require("parley.pickers.chats").receive({ id = 1, rows = {}, found = 0, all = 0 })
        vim.o.columns = vim.o.columns - 10`,
        number,
      );
      await poll("one window", () => editor.lua("return #vim.api.nvim_tabpage_list_wins(0) == 1"));
      expect(await editor.lua("return vim.v.errmsg")).toBe("");
      // The end of the one before does not end the next one.
      await editor.lua("local chats = require('parley.pickers.chats') chats.open() chats.open()");
      await editor.lua("vim.wait(20)");
      expect(await editor.lua("return #vim.api.nvim_tabpage_list_wins(0)")).toBe(4);
    },
  );

  it.each([1, 2, 3])(
    "the list of chats ends when another text is in its window %i, and does not write into that",
    async (number) => {
      await editor.lua(
        `require("parley.pickers.chats").open()
        vim.cmd.stopinsert()
        local floats = vim.tbl_filter(function(win)
          return vim.api.nvim_win_get_config(win).relative ~= ""
        end, vim.api.nvim_list_wins())
        Own = vim.api.nvim_create_buf(true, false)
        vim.api.nvim_buf_set_lines(Own, 0, -1, false, { "mine" })
        vim.api.nvim_win_set_buf(floats[(...)], Own)
        require("parley.pickers.chats").receive({ id = 1, rows = {}, found = 0, all = 0 })
        vim.o.columns = vim.o.columns - 10
        vim.api.nvim_exec_autocmds("VimResized", {})`,
        number,
      );
      await poll("one window", () => editor.lua("return #vim.api.nvim_list_wins() == 1"));
      expect(await editor.lua("return vim.api.nvim_buf_get_lines(Own, 0, -1, false)")).toEqual([
        "mine",
      ]);
    },
  );

  it("a list that another text took the place of is closed, and not drawn again", async () => {
    await editor.openChat("a.md", ["💬: hi"]);
    const drawn = await editor.lua(`local calls = { { line = 0, lines = { "a call" } } }
      local update = require("parley.screen.windows.float").calls(calls, "ya", {}, print)
      assert(update(calls))
      vim.cmd.enew()
      vim.o.columns = vim.o.columns - 10
      vim.api.nvim_exec_autocmds("VimResized", {})
      return update(calls)`);
    expect(drawn).toBe(false);
    await poll("one window", () => editor.lua("return #vim.api.nvim_list_wins() == 1"));
    expect(await editor.lines()).toEqual(["💬: hi"]);
    expect(await editor.lua("return vim.v.errmsg")).toBe("");
  });

  it("a chat that <C-c> left unopened is named, without Neovim's words for that", async () => {
    await editor.lua(`local run = vim.cmd
      vim.cmd = function(command)
        if command.cmd == "edit" then error("Keyboard interrupt") end
        return run(command)
      end
      require("parley.screen.windows.open").go("/nowhere/a chat.md")
      vim.cmd = run`);
    const shown = await editor.lua("return vim.fn.execute('messages')");
    expect(shown).toContain("a chat.md was not opened.");
    expect(shown).not.toContain("interrupt");
  });

  it("q closes a list that is the only window below a message", async () => {
    await editor.lua("require('parley.screen.windows.open').open({ 'one' }, { title = 'list' })");
    await editor.lua("vim.cmd.only()");
    await editor.call("notify", "warn", long);
    await editor.press("q");
    await poll("another text", async () => !(await editor.lines()).includes("one"));
    expect(await editor.lua("return vim.v.errmsg")).toBe("");
  });

  it("a message that was shown too briefly is shown there, too", async () => {
    await editor.call("notify", "warn", long);
    await editor.call("notify", "info", `A second one, ${long}`);
    await editor.lua("vim.cmd('tabnew')");
    await poll("the message", async () => {
      const screen = (await editor.screen()).join("\n");
      return screen.includes("It starts here") && screen.includes("A second one");
    });
    expect(await editor.lua("return #vim.api.nvim_tabpage_list_wins(1)")).toBe(1);
  });
});

describe.each(neovims)("on a screen that gets another size, in Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim);
  });
  afterEach(() => editor.quit());

  /** The frames of the floating windows, from the top of the screen. */
  const frames = () =>
    editor.lua<{ row: number; width: number; height: number; hidden: boolean }[]>(
      `local found = {}
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        local config = vim.api.nvim_win_get_config(win)
        if config.relative ~= "" then
          found[#found + 1] = {
            row = config.row, width = config.width, height = config.height, hidden = config.hide,
          }
        end
      end
      table.sort(found, function(a, b)
        return a.row < b.row or a.row == b.row and a.height < b.height
      end)
      return found`,
    );
  const resize = async (columns: number, rows: number) => {
    await editor.nvim.request("nvim_ui_try_resize", [columns, rows]);
    await poll("the size", () =>
      editor.lua("return vim.o.columns == (...) and vim.o.lines == select(2, ...)", columns, rows),
    );
  };

  it("a text is laid out for it, with all of its words", async () => {
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(" ");
    await editor.lua(`require("parley.screen.windows.float").text({ (...) }, "Title")`, words);
    const [wide] = await frames();
    await resize(40, 20);
    const [narrow] = await frames();
    expect(narrow?.width).toBeLessThanOrEqual(36);
    expect(narrow?.height).toBeGreaterThan(wide?.height ?? 0);
    const text = (await editor.lines()).map((line) => line.trim()).join(" ");
    expect(text.replace(/ +/gu, " ")).toBe(words);
    await resize(100, 30);
    expect(await frames()).toEqual([wide]);
  });

  it("the list of chats is laid out for it, and has a preview where there is room", async () => {
    await editor.lua("require('parley.pickers.chats').open()");
    const wide = await frames();
    expect(wide).toHaveLength(3);
    expect(wide.filter(({ hidden }) => hidden)).toEqual([]);
    await resize(60, 16);
    const narrow = await frames();
    expect(narrow.map(({ hidden }) => hidden)).toEqual([false, true, false]);
    expect(narrow.every(({ width, height }) => width < 58 && height < 16)).toBe(true);
    await resize(100, 30);
    expect(await frames()).toEqual(wide);
    await editor.press("<Esc><Esc>");
    await poll("the end of the list", async () => (await frames()).length === 0);
    await resize(60, 16);
    expect(await editor.lua("return vim.v.errmsg")).toBe("");
  });
});
