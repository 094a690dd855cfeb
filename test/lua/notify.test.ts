/** Messages to the person, where no other plugin shows them. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

// As Neovim's own looks to the plugin: it comes from a file of the runtime.
const ownNotify = `vim.notify = load("return function() end", "@vim/_own.lua")()`;
const long = `It starts here, ${"goes on and on, ".repeat(9)}and ends here.`;

describe.each(neovims)("a message in Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim, { before: ownNotify });
  });
  afterEach(() => editor.quit());

  const shown = async (words: string) => (await editor.screen()).join("\n").includes(words);
  const blocking = async () =>
    ((await editor.nvim.request("nvim_get_mode", [])) as { blocking: boolean }).blocking;
  const windows = () => editor.lua("return #vim.api.nvim_list_wins()");

  it("that fits stands on the command line", async () => {
    await editor.call("notify", "info", "It fits.");
    await poll("the message", () => shown("It fits."));
    expect(await windows()).toBe(1);
  });

  it.each([1, 0])(
    "is seen whole with 'cmdheight' %i, and goes with a later key",
    async (height) => {
      await editor.lua("vim.o.cmdheight = (...)", height);
      await editor.call("notify", "warn", long);
      await editor.call("notify", "info", "A second one.");
      expect(await blocking()).toBe(false);
      for (const words of ["It starts here", "and ends here.", "A second one."])
        await poll(words, () => shown(words));
      expect(await editor.lua("return vim.fn.execute('messages')")).toContain("and ends here.");
      await editor.press("l");
      expect(await windows()).toBe(2);
      await editor.lua(
        "local time = vim.uv.hrtime; vim.uv.hrtime = function() return time() + 1e10 end",
      );
      await editor.press("l");
      await poll("its end", async () => (await windows()) === 1);
    },
  );

  it("covers the rows that are counted as covered, whatever frame other windows have", async () => {
    await editor.lua("if vim.fn.exists('+winborder') == 1 then vim.o.winborder = 'rounded' end");
    await editor.lua(
      "vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.fn['repeat']({ 'row' }, 99))",
    );
    await editor.call("notify", "info", long);
    await poll("the message", () => shown("and ends here."));
    const seen = (await editor.screen()).filter((row) => row === "row");
    expect(seen).toHaveLength(
      (await editor.lua<number>("return require('parley.messages.toast').top()")) - 1,
    );
    await editor.lua("require('parley.messages.notify').beside('Beside it.')");
    await poll("the words", () => shown("Beside it."));
    expect((await editor.screen()).join("\n")).not.toMatch(/[│╭╰]/);
  });

  it("is broken between words", async () => {
    const words = Array.from({ length: 6 }, (_, number) => "w".repeat(60) + number);
    for (const show of ["notify", "beside"]) {
      const code = `require("parley.messages.notify").${show}((...))`;
      await editor.lua(code, [...words, `last${show}`].join(" "));
      await poll("the message", () => shown(`last${show}`));
      const seen = (await editor.screen()).join("\n").split(/\s+/);
      expect(words.filter((word) => !seen.includes(word))).toEqual([]);
    }
  });

  it("and all else that Parley shows is seen where new buffers cannot be written", async () => {
    await editor.lua("vim.go.modifiable, vim.go.readonly = false, true");
    await editor.call("notify", "info", long);
    await poll("the message", () => shown("and ends here."));
    await editor.call("open", ["a list"], { title: "status" });
    await poll("the list", () => shown("a list"));
    await editor.press("q");
    await editor.lua("require('parley.messages.notify').beside('Beside it.')");
    await poll("the words at the cursor", () => shown("Beside it."));
    await editor.lua("require('parley.actions').help()");
    await poll("the keys", () => shown("q closes"));
  });

  it("that all but fits stands on the screen once", async () => {
    const words = "x".repeat((await editor.lua<number>("return vim.v.echospace")) + 2);
    await editor.call("notify", "info", words);
    await poll("the message", () => shown(words));
    const rows = (await editor.screen()).filter((row) => row.includes("xxx"));
    expect(rows).toHaveLength(1);
  });

  it.each([1, 0])("at a key leaves nothing to press with 'cmdheight' %i", async (height) => {
    await editor.lua(
      `local height = ...
      vim.o.cmdheight, vim.o.laststatus = height, 2
      local notify = require("parley.messages.notify")
      vim.keymap.set("n", "B", function() notify.beside("Beside it.") Done = "beside" end)
      vim.keymap.set("n", "N", function() notify.note("A note.", vim.log.levels.INFO) Done = "note" end)
      vim.keymap.set("n", "I", function()
        vim.ui.input({ prompt = "Why? " }, function(text) notify.clear() Done = text end)
      end)`,
      height,
    );
    for (const [keys, done] of [
      ["B", "beside"],
      ["N", "note"],
      ["Ibecause<CR>", "because"],
    ] as const) {
      await editor.press(keys);
      await poll(
        done,
        async () => !(await blocking()) && (await editor.lua("return Done")) === done,
      );
      // Rows of a message that are left there are what the next one waits for ENTER with.
      const bottom = "return vim.fn.screenstring(vim.o.lines - vim.o.cmdheight, 1)";
      await poll(`the statusline after ${done}`, async () => (await editor.lua(bottom)) === "[");
    }
  });

  it("is given once to Neovim's new messages, which wait for no key", async () => {
    const isThere = await editor.lua(`local ok, ui2 = pcall(require, "vim._core.ui2")
      if ok then ui2.enable({}) end
      vim.notify = load("return function(text) Given = (Given or '') .. text end", "@vim/_own.lua")()
      return ok`);
    for (const show of ["notify", "beside", "note"]) {
      await editor.lua(`require("parley.messages.notify").${show}("${show}. " .. (...), 2)`, long);
    }
    const given = ["notify", "beside", "note"].map((show) => `${show}. ${long}`).join("");
    expect(await editor.lua("return Given")).toBe(isThere ? given : null);
    expect(await editor.lua("return require('parley.messages.toast').is_open()")).toBe(!isThere);
  });

  it("that stands over a call makes its key list the call first", async () => {
    const call = '❓: `{"id":"c","type":"function","function":{"name":"web_search"}}`';
    const buffer = await editor.openChat("a.md", ["💬: one", "", "🤖:[demo]", "", call]);
    const show = { line: 4, text: call, lines: Array.from({ length: 22 }, (_, n) => `  row ${n}`) };
    await editor.call("show", buffer, await editor.tick(), {
      calls: [{ ...show, cut: false, full: show.lines }],
      keys: true,
    });
    await editor.call("notify", "warn", long);
    await editor.lua("vim.api.nvim_win_set_cursor(0, { 5, 0 })");
    await editor.press("ya");
    await poll("the list", () => shown("ya decides, q closes"));
    expect(await editor.received("key")).toEqual([]);
  });
});
