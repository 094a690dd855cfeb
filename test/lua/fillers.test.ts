/** Virtual lines that go while a window shows them above its first line, which is a closed fold. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { neovims } from "../support/neovims.ts";
import { startWithOpenCalls, type WaitingEditor } from "./open-calls.ts";

describe.each(neovims)("virtual lines above the first line, on Neovim $version", (neovim) => {
  let waiting: WaitingEditor;
  beforeEach(async () => {
    waiting = await startWithOpenCalls(neovim);
  });
  afterEach(() => waiting.editor.quit());

  const topfill = (win: number) =>
    waiting.editor.lua(
      "return vim.api.nvim_win_call((...), function() return vim.fn.winsaveview().topfill end)",
      win,
    );

  /** The second call is the first line of this window, below the open line of the first call with its row. */
  const scroll = async () => {
    const { editor } = waiting;
    const win = await editor.lua<number>("return vim.api.nvim_get_current_win()");
    await editor.lua(`vim.cmd("8foldopen | resize 4")
      vim.fn.winrestview({ lnum = 9, col = 0, topline = 9, topfill = 1 })
      vim.cmd.redraw()`);
    expect(await editor.lua("return vim.fn.foldclosed(9)")).toBe(9);
    expect(await topfill(win)).toBe(1);
    return win;
  };

  it.each([
    ["one call is no longer there", () => waiting.show([8])],
    ["no call waits", () => waiting.show([])],
    ["the chat is plain Markdown again", () => waiting.editor.nvim.command("Parley detach")],
  ])("are gone when %s, in a window that is not the current one", async (_, act) => {
    const { editor } = waiting;
    await editor.lua("vim.cmd('split')");
    const win = await scroll();
    await editor.lua("vim.cmd('wincmd p')");
    await act();
    // Neovim 0.10 would never answer again.
    expect((await editor.screen()).join("\n")).toContain("alpha beta");
    await editor.lua("vim.cmd('redraw!')");
    expect(await topfill(win)).toBe(0);
  });

  it("are gone in the current window before anything is drawn", async () => {
    const { editor } = waiting;
    await editor.lua("vim.cmd('split')");
    const win = await scroll();
    await waiting.show([8]);
    expect(await topfill(win)).toBe(0);
    await editor.lua("vim.api.nvim__redraw({ flush = true, valid = false })");
    expect((await editor.screen()).length).toBeGreaterThan(0);
  });

  it("stay as far as they are still there", async () => {
    const { editor } = waiting;
    await editor.lua("vim.cmd('split')");
    const win = await scroll();
    await waiting.show([7, 8]);
    expect(await topfill(win)).toBe(1);
  });
});
