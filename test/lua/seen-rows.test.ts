/** A yes decides what is on the screen at that moment, whatever took room from it since it was drawn. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { neovims } from "../support/neovims.ts";
import { poll } from "./editor.ts";
import { startWithOpenCalls, type WaitingEditor } from "./open-calls.ts";

/** As wide as a row can be here, and no wider. */
const wide = `${"x".repeat(84)}END`;

const later = "local now = vim.uv.hrtime; vim.uv.hrtime = function() return now() + 1e12 end";

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
    await editor.lua(later);
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
      await editor.lua(later);
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

  describe.each([
    { is: "a row", more: { row: "a_tool with a row", lines: [] }, rows: 1 },
    { is: "lines below", more: { row: "a_tool", whole: false, lines: ["  query: one"] }, rows: 2 },
  ])("that is $is", ({ more, rows }) => {
    const floats: Record<string, { at: string; isSeen: boolean }> = {
      "beside what is drawn": { at: "row = 0, col = 40", isSeen: true },
      "above it": { at: "row = -1, col = 0", isSeen: true },
      "below it": { at: `row = ${rows}, col = 0`, isSeen: true },
      "over its last line": { at: `row = ${rows - 1}, col = 3`, isSeen: false },
      "beside its last line": { at: `row = ${rows - 1}, col = 40`, isSeen: true },
      "over a letter of it": { at: "row = 0, col = 5", isSeen: false },
      "with its frame over it": { at: "row = -2, col = 0, border = 'single'", isSeen: false },
      "hidden over it": { at: "row = 0, col = 0, hide = true", isSeen: true },
    };
    it.each(Object.entries(floats))("is decided if no float hides it: %s", async (_, place) => {
      const { editor } = waiting;
      await waiting.show([8], more);
      await waiting.goTo(9);
      await editor.lua(later);
      await editor.lua(`Row = vim.fn.screenpos(0, 9, 1).row - 1
        local at = { ${place.at} }
        local options = { relative = "editor", style = "minimal", width = 9, height = 1, focusable = false }
        at.row = Row + at.row
        vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, vim.tbl_extend("force", options, at))`);
      await editor.press("yo");
      const became = await poll("a decision or the list", async () => {
        if ((await waiting.decisions()).length > 0) return "decided";
        const screen = await editor.screen();
        return screen.some((row) => row.includes("yo decides")) && "listed";
      });
      expect(became).toBe(place.isSeen ? "decided" : "listed");
    });
  });

  it("is decided in the list only when no float hides that", async () => {
    const { editor } = waiting;
    await waiting.show([8], { cut: true });
    await waiting.goTo(9);
    const cover = (zindex: number) =>
      editor.lua(
        `vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, {
        relative = "editor", style = "minimal", row = 0, col = 0, width = vim.o.columns,
        height = vim.o.lines, focusable = false, zindex = ... })`,
        zindex,
      );
    const isListed = () =>
      poll("the list", async () => (await editor.screen()).some((row) => row.includes("in full")));
    await cover(60);
    await editor.press("yo");
    await isListed();
    await cover(100);
    await editor.press("yo");
    await isListed();
    expect(await waiting.decisions()).toEqual([]);
    await editor.press("yo");
    expect(await waiting.decision()).toHaveLength(1);
  });
});
