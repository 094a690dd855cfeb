/** Parley's windows when the user leaves their tab page: Neovim 0.10 crashes on what stays there. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const long = `It starts here, ${"goes on and on, ".repeat(9)}and ends here.`;

describe.each(neovims)("in another tab page of Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    // As Neovim's own looks to the plugin: it comes from a file of the runtime.
    const before = `vim.notify = load("return function() end", "@vim/_own.lua")()`;
    editor = await startEditor(neovim, { before });
  });
  afterEach(() => editor.quit());

  it.each([
    ["a message", `require("parley.messages.notify").notify(${JSON.stringify(long)})`],
    ["a message at the cursor", `require("parley.messages.notify").beside("It says why.")`],
    ["a text", `require("parley.screen.windows.float").text({ "one" }, "Title")`],
    ["a text to read", `require("parley.screen.windows.float").read({ "one" }, "Title", print)`],
    ["the keys", `require("parley.screen.windows.float").help({ { "K", "more" } })`],
    ["the list of chats", `require("parley.pickers.chats").open()`],
  ])("the window below %s can be closed", async (_, open) => {
    await editor.lua("vim.cmd('edit one | set bufhidden=hide')");
    const buf = await editor.lua<number>("return vim.api.nvim_get_current_buf()");
    await editor.lua(open);
    expect(await editor.lua("return #vim.api.nvim_list_wins()")).toBeGreaterThan(1);
    await editor.lua("vim.cmd('tabnew | bwipeout! ' .. (...))", buf);
    expect(await editor.lua("return #vim.api.nvim_list_tabpages()")).toBe(1);
  });

  it("a message that was shown too briefly is shown there, too", async () => {
    await editor.call("notify", "warn", long);
    await editor.call("notify", "info", `A second one, ${long}`);
    await editor.lua("vim.cmd('tabnew')");
    await poll("the message", async () => {
      const screen = (await editor.screen()).join("\n");
      return screen.includes("It starts here") && screen.includes("A second one");
    });
    expect(await editor.lua("return #vim.api.nvim_tabpage_list_wins(1)")).toBe(1);
  });
});
