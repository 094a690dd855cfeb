/** A Neovim for random sessions: with a screen, with swap files, watched, and configured as some people do. */
import { fileURLToPath } from "node:url";
import { type LiveChat, openLiveChat } from "../support/live-chat.ts";

const watch = fileURLToPath(new URL("watch.lua", import.meta.url));

/** Habits that change what Parley meets; each Neovim has those of its number. */
const habits = [
  "",
  "vim.cmd('autocmd InsertLeave * silent! update')",
  "vim.o.undofile = true vim.o.hidden = false",
  "vim.cmd('autocmd InsertLeave,BufLeave * silent! wall') vim.o.autoread = false",
  "vim.o.foldmethod = 'indent' vim.o.textwidth = 60 vim.o.backup = true",
  "vim.o.eventignore = 'TextChanged,TextChangedI,TextChangedP'",
  // Format on save, as many have it.
  "vim.cmd([[autocmd BufWritePre * silent! %s/\\s\\+$//e]]) vim.o.autowriteall = true",
  "vim.cmd('autocmd TextChanged,InsertLeave * silent! noautocmd write') vim.o.undofile = true",
];

export async function openForSessions(path: string, number: number): Promise<LiveChat> {
  const live = await openLiveChat({
    path,
    swap: true,
    init: `require("parley").setup({ model = "openai/live", tools = "mock" })
${habits[number % habits.length] ?? ""}`,
  });
  await live.nvim.lua("dofile((...))", watch);
  return live;
}
