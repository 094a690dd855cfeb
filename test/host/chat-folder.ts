/** A Neovim with a folder of chats, and what is seen of them there. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { TestNeovim } from "../support/neovim.ts";

/** Opens a chat beside these; Neovim ends with the test. */
export async function openChats(path: string, chats: Readonly<Record<string, string>>) {
  const nvim = await TestNeovim.start({
    path,
    chat: { text: "---\ntopic: Here\n---\n\n💬: hi\n" },
  });
  onTestFinished(() => nvim.cleanUp());
  for (const [name, text] of Object.entries(chats)) {
    await mkdir(dirname(join(dirname(nvim.chatPath), name)), { recursive: true });
    await writeFile(join(dirname(nvim.chatPath), name), text);
  }
  await nvim.ready();
  return nvim;
}

/** The lines of the floating windows, by their titles. */
export async function list(nvim: TestNeovim): Promise<string> {
  return String(
    await nvim.lua(`local text = {}
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        local config = vim.api.nvim_win_get_config(win)
        if config.relative ~= "" then
          for _, chunk in ipairs(config.title or {}) do text[#text + 1] = chunk[1] or chunk end
          vim.list_extend(text, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false))
        end
      end
      return table.concat(text, "\\n")`),
  );
}

/** The text of the deleted chat. */
export async function inTrash(nvim: TestNeovim, deleted: string): Promise<string> {
  const trash = join(nvim.home, "state", "nvim", "parley", "trash");
  const entry = (await readdir(trash)).find((found) => found.endsWith(deleted)) ?? "";
  return readFile(join(trash, entry), "utf8");
}

export const bufferName = "return vim.api.nvim_buf_get_name(0)";
export const name = (nvim: TestNeovim) => nvim.lua("return vim.fn.expand('%:t')");
