/** Words of others in messages, below the text and in questions. */
import { afterEach, describe, expect, it } from "vitest";
import { neovims, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

describe.each(neovims)("in Neovim $version", ({ path }) => {
  it("what a header or a command names cannot deceive", async () => {
    const text = "---\nmodel: mock/file:no\u202esuch\n---\n\n💬: hi\n";
    editor = await TestNeovim.start({ path, chat: { text } });
    const nvim = editor;
    await nvim.ready();
    await nvim.input("G<C-g><C-g>");
    const shown = await nvim.until("the failure", async () => {
      const words = await nvim.virtualText();
      return /cannot be read/.test(words) && words;
    });
    expect(shown).toContain("no\\u{202e}such");
    expect(shown).not.toContain("\u202e");
    await nvim.command("Parley prompt a\u202eb");
    const messages = async () => String(await nvim.lua("return vim.fn.execute('messages')"));
    await nvim.until("the message", async () => /There is no prompt/.test(await messages()));
    expect(await messages()).toContain('"a\\u{202e}b"');
    expect(await messages()).not.toContain("\u202e");
  });
});
