/** Keys of a chat among those of other plugins, which come before, after, or only look. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";
import { startWithOpenCalls } from "./open-calls.ts";

const wordsOf = (editor: Editor, key: string) =>
  editor.lua<string | null>("return vim.fn.maparg(..., 'n', false, true).desc", key);

/** As plugins map keys for a language server that is there, some of them a moment later. */
const attachServer = `local buf = vim.api.nvim_get_current_buf()
  local function map()
    for _, key in ipairs({ "K", "]]", "gd" }) do
      vim.keymap.set("n", key, "<Cmd>let g:pressed = 'server'<CR>", { buffer = buf, desc = "Server" })
    end
  end
  vim.api.nvim_exec_autocmds("LspAttach", { buffer = buf, data = { client_id = 1 } })
  if ... then vim.defer_fn(map, 100) else map() end`;

describe.each(neovims)("other plugins' maps on Neovim $version", (neovim) => {
  let editor: Editor;
  afterEach(() => editor.quit());

  it.each([false, true])(
    "keeps the keys of a chat from those of a language server; a moment later: %s",
    async (isLater) => {
      const waiting = await startWithOpenCalls(neovim);
      editor = waiting.editor;
      await waiting.goTo(8);
      await editor.lua(attachServer, isLater);
      await poll("the server's keys", async () => (await wordsOf(editor, "gd")) === "Server");
      for (const key of ["]]", "K"]) {
        await poll(key, async () => (await wordsOf(editor, key))?.startsWith("Parley: "));
      }
      // Off the calls it is what it is without Parley, and so it is when none is left.
      await waiting.goTo(1);
      await editor.press("K");
      await poll("the server's K", async () => (await editor.lua("return vim.g.pressed")) !== null);
      await waiting.show([]);
      expect(await wordsOf(editor, "K")).toBe("Server");
    },
  );

  it("takes no map away that came over its own", async () => {
    const waiting = await startWithOpenCalls(neovim);
    editor = waiting.editor;
    await editor.lua(`for _, key in ipairs({ "K", "]]" }) do
      vim.keymap.set("n", key, "<Nop>", { buffer = true, desc = "Mine" })
    end`);
    await waiting.show([]);
    await editor.nvim.command("Parley detach");
    expect([await wordsOf(editor, "K"), await wordsOf(editor, "]]")]).toEqual(["Mine", "Mine"]);
    expect(await wordsOf(editor, "[[")).toBeNull();
  });

  describe("that look at keys", () => {
    beforeEach(async () => {
      editor = await startEditor(neovim);
    });

    it.each(["Parley new", "edit notes.md | Parley attach"])(
      "lets which-key look again, which looked before: %s",
      async (command) => {
        // What it is given makes it look.
        await editor.lua(`package.loaded["which-key"] = {
          did_setup = true,
          add = function() Seen = vim.fn.maparg("<C-g><C-g>", "n") end,
        }`);
        await editor.nvim.command(command);
        expect(await editor.lua("return Seen")).toBe("<Plug>(parley-respond)");
      },
    );
  });
});
