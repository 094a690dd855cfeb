/** Vim's functions take no text with a NUL in it, and a chat from elsewhere may have one anywhere. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const lines = [
  "---",
  "topic: a\0b",
  "---",
  "",
  "💬: what\0 is\0 new",
  "",
  "🤖:[x]",
  "",
  "a\0b",
  "",
  "💬: ",
];

describe.each(neovims)("a chat with NULs in it, in Neovim $version", (neovim) => {
  let editor: Editor;
  let buffer: number;
  beforeEach(async () => {
    editor = await startEditor(neovim);
    buffer = await editor.openChat("nul.md", lines);
  });
  afterEach(() => editor.quit());

  it("shows what it does, and is reported", async () => {
    const status = { text: "answering", kind: "progress", line: 8 };
    const view = { calls: [], keys: false, status };
    const shown = await editor.call("show", buffer, await editor.tick(buffer), view);
    expect(shown).toMatchObject({ status: "shown" });
    expect(await editor.lua("return require('parley.messages.away').name_of(...)", buffer)).toBe(
      "a b",
    );
  });

  it("is named by its words", async () => {
    const slug = "return require('parley.text.chats.chat_name').slug('what\\0 is\\0new')";
    expect(await editor.lua(slug)).toBe("what-is-new");
  });

  it("comes while somebody types, with its cursor on a NUL", async () => {
    await editor.lua("vim.api.nvim_win_set_cursor(0, { 9, 1 })");
    await editor.nvim.command("enew");
    await editor.press("i<Cmd>Parley toggle<CR>");
    await poll("the chat", async () => {
      const [mode, now] = await editor.lua<[string, number]>(
        "return { vim.fn.mode(), vim.api.nvim_get_current_buf() }",
      );
      return mode === "n" && now === buffer;
    });
    expect(await editor.lua("return vim.v.errmsg")).toBe("");
  });
});
