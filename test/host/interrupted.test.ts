/** <C-c> while Neovim asks something in the middle of what Parley does. */
import { describe, expect, it } from "vitest";
import { openNextLiveChat } from "../support/live-chat.ts";
import { neovims } from "../support/neovim.ts";

describe.each(neovims)("what is interrupted in Neovim $version", ({ path }) => {
  it("by the host or by a command is reported in a sentence", async () => {
    const { nvim } = await openNextLiveChat({ path });
    // As Neovim raises it.
    await nvim.lua(`local function interrupted() error("Keyboard interrupt") end
      local opener, chats = require("parley.screen.windows.open"), require("parley.pickers.chats")
      local open, list = opener.open, chats.open
      opener.open, chats.open = interrupted, interrupted
      vim.cmd("Parley chats")
      vim.cmd("Parley usage")
      Restored = function() opener.open, chats.open = open, list end`);
    await nvim.until("the words", async () => /That was inter/.test(await nvim.messages()));
    await nvim.lua("Restored()");
    const said = await nvim.messages();
    expect(said).toContain(":Parley chats was interrupted.");
    expect(said).not.toMatch(/traceback|Keyboard/);
  });
});
