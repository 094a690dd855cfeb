import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll } from "./editor.ts";
import { callOne, callTwo, startWithOpenCalls, type WaitingEditor } from "./open-calls.ts";

describe.each(neovims)("keys that are not ours on Neovim $version", (neovim) => {
  let waiting: WaitingEditor;
  let editor: Editor;

  beforeEach(async () => {
    waiting = await startWithOpenCalls(neovim);
    editor = waiting.editor;
  });
  afterEach(() => editor.quit());

  it.each([
    ["yap", `\n${callOne}\n${callTwo}\n`],
    ["yaw", "❓"],
    ['"byaw', "❓", "b"],
    ['"b2yaw', "❓: ", "b"],
  ])("takes %s on a call line for the yank it looks like", async (keys, text, name = '"') => {
    await waiting.goTo(8);
    expect(await waiting.yanked(keys, name)).toBe(text);
    expect(await waiting.decisions()).toEqual([]);
  });

  it.each([
    ["yap", '💬: alpha beta gamma delta\nsecond (line) of the "question"\n\n'],
    ["yaw", "alpha "],
    ["yiw", "alpha"],
    ["3yaw", "alpha beta gamma "],
    ["y3aw", "alpha beta gamma "],
    ["yy", "💬: alpha beta gamma delta\n"],
    ["y2w", "alpha beta "],
  ])("leaves %s alone off a call line", async (keys, text) => {
    await waiting.goTo(1, 6);
    expect(await waiting.yanked(keys)).toBe(text);
    // The maps are there again for the next key on a call line.
    await waiting.goTo(8);
    await editor.press("yo");
    expect((await waiting.decision())[0]).toMatchObject({ key: "yo" });
  });

  it("leaves a register before the yank alone off a call line", async () => {
    await waiting.goTo(1, 6);
    expect(await waiting.yanked('"ayaw', "a")).toBe("alpha ");
  });

  it("lets the operator wait for its object as long as it takes", async () => {
    await waiting.goTo(1, 6);
    await editor.press("y");
    await waiting.mode("no");
    await editor.press("a");
    await waiting.waitsForMore();
    await editor.press("w");
    await poll("the yank", async () => (await waiting.register()) === "alpha ");
    expect(await waiting.decisions()).toEqual([]);
  });

  it("leaves a foreign `omap af` alone, on and off a call line", async () => {
    await editor.lua("vim.keymap.set('o', 'af', ':<C-u>normal! 0vee<CR>')");
    await waiting.goTo(1, 6);
    expect(await waiting.yanked("yaf")).toBe("💬: alpha");
    await waiting.goTo(8);
    await editor.press("yaf");
    await poll("the yank", async () => (await waiting.register()).startsWith("❓"));
    expect(await waiting.decisions()).toEqual([]);
  });

  it("leaves a foreign `nmap yob` alone, on and off a call line, with its repetition", async () => {
    await editor.lua(`vim.keymap.set("n", "yob", function()
      _G.Toggle = function() Toggled = (Toggled or 0) + 1 end
      vim.o.operatorfunc = "v:lua.Toggle"
      return "g@l"
    end, { expr = true })`);
    const toggled = (times: number) =>
      poll(`${times} toggles`, async () => (await editor.lua("return Toggled")) === times);
    await waiting.goTo(1, 6);
    await editor.press("yob");
    await toggled(1);
    await editor.press(".");
    await toggled(2);
    for (const key of ["y", "o", "b"]) {
      await editor.press(key);
      if (key !== "b") await waiting.waitsForMore();
    }
    await toggled(3);
    await waiting.goTo(8);
    await editor.press("yob");
    await toggled(4);
    expect(await waiting.decisions()).toEqual([]);
  });

  it("leaves a foreign `ysiw` and its repetition alone", async () => {
    await editor.lua(`vim.keymap.set("n", "ys", function()
      _G.Surround = function()
        local from, to = vim.fn.getpos("'["), vim.fn.getpos("']")
        vim.api.nvim_buf_set_text(0, to[2] - 1, to[3], to[2] - 1, to[3], { ")" })
        vim.api.nvim_buf_set_text(0, from[2] - 1, from[3] - 1, from[2] - 1, from[3] - 1, { "(" })
      end
      vim.o.operatorfunc = "v:lua.Surround"
      return "g@"
    end, { expr = true })`);
    await waiting.goTo(1, 6);
    await editor.press("ysiw");
    await poll(
      "the first",
      async () => (await editor.lines())[0] === "💬: (alpha) beta gamma delta",
    );
    await waiting.goTo(1, 15);
    await editor.press(".");
    await poll(
      "the second",
      async () => (await editor.lines())[0] === "💬: (alpha) (beta) gamma delta",
    );
  });

  it("gives way to `:normal` and to macros as the plain keys do", async () => {
    await waiting.goTo(1, 6);
    await editor.lua("vim.cmd('normal yaw')");
    expect(await waiting.register()).toBe("alpha ");
    await editor.lua("vim.fn.setreg('q', 'wyiw')");
    expect(await waiting.yanked("@q")).toBe("beta");
  });

  it("puts back a map that somebody had on the buffer", async () => {
    await editor.lua(
      `require("parley.keys.approval_maps").remove(...)
      vim.keymap.set("n", "yo", function() Foreign = true end, { buffer = true })`,
      waiting.buffer,
    );
    await waiting.show([]);
    await waiting.show([7, 8]);
    await waiting.goTo(1);
    await editor.press("yo");
    await poll("the foreign map", () => editor.lua("return Foreign"));
    await waiting.show([]);
    await editor.lua("Foreign = nil");
    await waiting.goTo(8);
    await editor.press("yo");
    await poll("the foreign map again", () => editor.lua("return Foreign"));
    expect(await waiting.decisions()).toEqual([]);
  });

  it("leaves operators alone when a chat is gone whose call the cursor was on", async () => {
    await waiting.goTo(8);
    const hasSecondKeys = "return #vim.api.nvim_buf_get_keymap(0, 'o') > 0";
    await poll("the second keys", () => editor.lua(hasSecondKeys));
    const other = await editor.openChat("other.md", ["💬: alpha beta"]);
    await editor.lua("require('parley.keys.approval_maps').set(...)", other, true);
    await editor.nvim.command(`bwipeout! ${waiting.buffer} | let v:errmsg = ""`);
    await waiting.goTo(1, 6);
    expect(await waiting.yanked("yw")).toBe("alpha ");
    expect(await editor.lua("return vim.v.errmsg")).toBe("");
  });

  it("has no approval keys once no call is open", async () => {
    await waiting.show([]);
    expect(await editor.nvim.call("maparg", ["ya", "n"])).toBe("");
    await waiting.goTo(8);
    expect(await waiting.yanked("yaw")).not.toBe("");
    expect(await waiting.decisions()).toEqual([]);
  });
});
