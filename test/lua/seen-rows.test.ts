/** A yes decides what stands on the screen at that moment, whatever took room from it since it was drawn. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { neovims } from "../support/neovims.ts";
import { poll } from "./editor.ts";
import { startWithOpenCalls, type WaitingEditor } from "./open-calls.ts";

/** As wide as a row can be here, and no wider. */
const wide = `${"x".repeat(84)}END`;

const changes = {
  "nothing does": "",
  "numbers do": "vim.wo.number, vim.wo.numberwidth = true, 20",
  "the column of signs does": "vim.wo.signcolumn = 'yes:9'",
  "a sign that comes does": `vim.fn.sign_define("a", { text = ">>" })
    for _, row in ipairs({ 1, 2 }) do vim.fn.sign_place(0, "", "a", 0, { lnum = row }) end
    vim.wo.signcolumn = "auto:9"`,
  "the column of folds does": "vim.wo.foldcolumn = '9'",
  "a column of a plugin does": "vim.wo.statuscolumn = ('w'):rep(20)",
  "a window beside it does": "vim.cmd.vsplit()",
  "another plugin's words do": `vim.wo.foldtext = "'+ a call'"`,
  "its line does, which no fold hides": `vim.cmd("normal! zn")
    vim.cmd("botright new | wincmd p | resize 2")`,
};

describe.each(neovims)("an open call on Neovim $version", (neovim) => {
  let waiting: WaitingEditor;
  beforeEach(async () => {
    waiting = await startWithOpenCalls(neovim);
    const { editor } = waiting;
    // What came in the place of something else needs time.
    await editor.lua(
      "local now = vim.uv.hrtime; vim.uv.hrtime = function() return now() + 1e12 end",
    );
  });
  afterEach(() => waiting.editor.quit());

  describe.each([
    { is: "a row", more: { row: `a_tool ${wide}`, lines: [] } },
    { is: "lines below", more: { row: "a_tool", whole: false, lines: [`  query: ${wide}`] } },
  ])("that is $is", ({ more }) => {
    it.each(Object.entries(changes))("is decided if its end is seen: %s", async (_, change) => {
      const { editor } = waiting;
      await waiting.show([7, 8], more);
      await waiting.goTo(9);
      await editor.lua(
        "local now = vim.uv.hrtime; vim.uv.hrtime = function() return now() + 1e12 end",
      );
      await editor.lua(change);
      const screen = (await editor.screen()).join("\n");
      const isSeen = screen.includes("a_tool") && screen.includes("END");
      await editor.press("yo");
      const became = await poll("a decision or the list", async () => {
        if ((await waiting.decisions()).length > 0) return "decided";
        const rows = await editor.screen();
        return rows.some((row) => row.includes("yo decides")) && "listed";
      });
      expect(became).toBe(isSeen ? "decided" : "listed");
    });
  });
});
