/** One paragraph of megabytes, as a chat from anybody may have: what is parsed, and drawn beside it, stays small. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, startEditor } from "../lua/editor.ts";
import { type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { neovims, oneNeovim } from "../support/neovim.ts";

describe.each(neovims)("colours in Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim);
  });
  afterEach(() => editor.quit());

  it("parse no piece that is too long, and the pieces beside it", async () => {
    await editor.lua(`Longest, Count = 0, 0
      local before = vim.treesitter.get_string_parser
      vim.treesitter.get_string_parser = function(text, ...)
        Longest, Count = math.max(Longest, #text), Count + 1
        return before(text, ...)
      end`);
    const lines = Array.from(
      { length: 20_000 },
      (_, at) => `line ${at} with \`a span\` and *words*`,
    );
    await editor.openChat("chat.md", ["💬: hi", "", ...lines, "", "## some **words**", ""]);
    // Neovim 0.10 starts no highlighter for Markdown on its own.
    await editor.lua(`if not require("parley.colours.frames").of(0) then
      vim.treesitter.start(0, "markdown")
    end`);
    await editor.press("G");
    await editor.lua("vim.cmd('redraw!')");
    await editor.press("gg20j");
    await editor.lua(
      "vim.api.nvim_buf_set_lines(0, 10, 11, false, { 'another' }) vim.cmd('redraw!')",
    );
    await expect
      .poll(() => editor.lua<number>("return Count"), { timeout: 10_000 })
      .toBeGreaterThan(0);
    expect(await editor.lua<number>("return Longest")).toBeLessThan(200_000);
  });
});

it.each(oneNeovim)(
  "a chat with a problem in each of its lines shows the first ones",
  async ({ path }) => {
    const text = `💬: hi\n\n🤖:[x]\n\n${"🛠️: [t][a]\n".repeat(3000)}`;
    const live: LiveChat = await openLiveChat({ path, chat: { text } });
    const found = () =>
      live.nvim.lua(
        "local all = vim.diagnostic.get(0) return { #all, (all[#all] or {}).message or '' }",
      );
    await live.nvim.until("the problems", async () => ((await found()) as [number, string])[0] > 0);
    const [count, last] = (await found()) as [number, string];
    expect(count).toBe(500);
    expect(last).toMatch(/\(\d+ more below; parley check names them all\.\)$/);
  },
);
