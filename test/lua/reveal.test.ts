/** What is below the end of a text counts as on the screen when it is: a key decides what can be seen there. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, startEditor } from "./editor.ts";

describe.each(neovims)("the end of a chat on Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim);
    await editor.nvim.request("nvim_ui_try_resize", [80, 20]);
    await editor.openChat("end.md", ["💬: one"]);
  });
  afterEach(() => editor.quit());

  it.each(["list listchars=eol:$", "showbreak=+++", "nowrap", "winbar=bar", "signcolumn=yes"])(
    "is on the screen with what is drawn below it, with :setlocal %s",
    async (options) => {
      await editor.nvim.command(`setlocal ${options}`);
      const wrong = await editor.lua(`
        local win, wrong = vim.api.nvim_get_current_win(), {}
        local namespace = vim.api.nvim_create_namespace("test")
        local function is_drawn(words)
          return vim.iter(vim.fn.range(1, vim.o.lines)):any(function(row)
            return vim.iter(vim.fn.range(1, #words)):all(function(column)
              return vim.fn.screenstring(row, column) == words:sub(column, column)
            end)
          end)
        end
        for _, text in ipairs({ "a", ("a"):rep(160), ("words "):rep(30), ("漢字"):rep(60) }) do
          vim.api.nvim_buf_set_lines(0, 0, -1, false, { "above", text })
          for count = 1, 20 do
            local rows = {}
            for row = 1, count do
              rows[row] = { { ("row %d."):format(row) } }
            end
            local options = { id = 1, virt_lines = rows, virt_lines_leftcol = true }
            vim.api.nvim_buf_set_extmark(0, namespace, 1, 0, options)
            vim.cmd.redraw()
            local is_seen = is_drawn(rows[count][1][1])
            if is_seen ~= require("parley.screen.calls.reveal").is_block_visible(win, 2, count) then
              wrong[#wrong + 1] = { text:sub(1, 8), count, is_seen }
            end
          end
        end
        return wrong`);
      expect(wrong).toEqual([]);
    },
  );
});
