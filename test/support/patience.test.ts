import { expect, it } from "vitest";
import { neovims, TestNeovim } from "./neovim.ts";

it("says that Neovim has ended, to what waits for it and to what asks it later", async () => {
  const nvim = await TestNeovim.start({ path: neovims[0]!.path });
  await expect(nvim.lua("vim.cmd('qa!')")).rejects.toThrow("Neovim has ended.");
  await expect(nvim.lua("return 1")).rejects.toThrow("Neovim has ended.");
  await nvim.cleanUp();
});
