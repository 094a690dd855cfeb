/** A Neovim for random sessions: with a screen, with swap files, watched, and configured as some people do. */
import { fileURLToPath } from "node:url";
import { type LiveChat, openLiveChat } from "../support/live-chat.ts";

const watch = fileURLToPath(new URL("watch.lua", import.meta.url));

const [first = 1, last = 150] = (process.env.PARLEY_SOAK_SEEDS ?? "1-150").split("-").map(Number);
/** Sessions in one Neovim: enough that what one leaves behind meets the next. */
const size = 15;
/** The seeds of a run, by Neovim. */
export const batches = Array.from({ length: Math.ceil((last - first + 1) / size) }, (_, index) => {
  const start = first + index * size;
  return {
    number: Math.floor(start / size),
    seeds: Array.from({ length: Math.min(size, last - start + 1) }, (_, more) => start + more),
  };
});

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

/** Settings of Parley's own; each Neovim has those of its number. */
const settings = [
  "",
  ", follow = false",
  ', highlight = "treesitter"',
  ", fold_calls = false",
  ", follow = false, fold_calls = false",
];

export async function openForSessions(path: string, number: number): Promise<LiveChat> {
  const live = await openLiveChat({
    path,
    swap: true,
    init: `require("parley").setup({ model = "openai/live", tools = "mock"${settings[number % settings.length] ?? ""} })
${habits[number % habits.length] ?? ""}`,
  });
  await live.nvim.lua("dofile((...))", watch);
  return live;
}

/** A second Neovim beside it, with the same folders. */
export async function reopenForSessions(live: LiveChat): Promise<LiveChat> {
  const beside = await live.reopen();
  await beside.nvim.lua("dofile((...))", watch);
  return beside;
}
