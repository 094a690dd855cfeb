/** A Neovim for random sessions: with a screen, with swap files, watched, and configured as some people do. */
import { fileURLToPath } from "node:url";
import { type LiveChat, openLiveChat } from "../support/live-chat.ts";

const watch = fileURLToPath(new URL("watch.lua", import.meta.url));

/** The seeds of a run, from `PARLEY_SOAK_SEEDS=first-last`, or as many as given. */
export function seedsOfRun(count: number): readonly number[] {
  const [first = 1, last = count] = (process.env.PARLEY_SOAK_SEEDS ?? `1-${count}`)
    .split("-")
    .map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Sessions in one Neovim: enough that what one leaves behind meets the next. */
const size = 15;
const allSeeds = seedsOfRun(150);
/** The seeds of a run, by Neovim. */
export const batches = Array.from({ length: Math.ceil(allSeeds.length / size) }, (_, index) => {
  const seeds = allSeeds.slice(index * size, (index + 1) * size);
  return { number: Math.floor((seeds[0] ?? 0) / size), seeds };
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
