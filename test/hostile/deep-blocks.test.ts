/** Quotes and lists inside each other, as a model may write them: the Markdown parser of Neovim ends it at the 254th. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, startEditor } from "../lua/editor.ts";
import { casesFor } from "../support/neovims.ts";

const lists = Array.from({ length: 300 }, (_, depth) => `${"  ".repeat(depth)}- x`);
const texts: readonly (readonly [string, readonly string[]])[] = [
  ["quotes", [`${"> ".repeat(300)}x`]],
  ["quotes without blanks", [`${">".repeat(2000)}x`]],
  ["lists in one line", [`${"- ".repeat(300)}x`]],
  ["numbered lists in one line", [`${"1. ".repeat(300)}x`]],
  ["lists, a line for each", lists],
  ["both, with tabs", [`${"> ".repeat(150)}x`, `${"> ".repeat(150)}${"-\t".repeat(150)}x`]],
];

describe.each(neovims)("in Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim);
  });
  afterEach(() => editor.quit());

  const isThere = () => editor.lua("vim.cmd('redraw!')\nreturn vim.fn.getline(1)");

  it.each(casesFor(neovim.path, texts))("%s in a chat that is opened", async (_, lines) => {
    await editor.openChat("chat.md", ["💬: hi", "", ...lines, "", "end"]);
    await editor.press("G");
    expect(await isThere()).toBe("💬: hi");
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await isThere()).toBe("💬: hi");
  });

  it.each(casesFor(neovim.path, texts, 1))("%s in an answer", async (_, lines) => {
    await editor.openChat("chat.md", ["💬: hi", "", "🤖:[x]", "", "end"]);
    await editor.lua("vim.api.nvim_buf_set_lines(0, 3, 4, false, ...)", lines);
    expect(await isThere()).toBe("💬: hi");
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await isThere()).toBe("💬: hi");
  });
});
