/** Somebody who looks at what Parley shows, comes back to the chat, and answers what Neovim asks. */
import { z } from "zod";
import type { LiveChat } from "../support/live-chat.ts";
import type { TestNeovim } from "../support/neovim.ts";
import { modeAnswer } from "./session.ts";

/** What a library or the language says, and people should not have to read. */
export const unspoken =
  /stack traceback|\.lua:\d+:|Error executing|attempt to \w+ a|TypeError|undefined|could not do that|did not understand|\[object |is not a function|NaN|invalid_type|\n {4}at |operation was aborted|Connection closed/;

/** From now on, what is said is kept for `heard`. */
export async function listen(nvim: TestNeovim): Promise<void> {
  await nvim.lua(`Said = {}
    local notify = vim.notify
    vim.notify = function(message, ...) Said[#Said + 1] = message return notify(message, ...) end`);
}

/** What was said that people should not have to read. */
export async function heard(nvim: TestNeovim): Promise<string[]> {
  const said = z.array(z.string()).parse(await nvim.lua("return Said"));
  return said.filter((text) => unspoken.test(text));
}

/** Whether a prompt is open. Messages that are listed meanwhile would be errors of the command that asks. */
export async function isAsked(nvim: TestNeovim): Promise<boolean> {
  const now = modeAnswer.parse(await nvim.client.request("nvim_get_mode", []));
  return now.blocking || /^[cr]/.test(now.mode);
}

/** Neovim takes the keys; what asks for a key stays on the screen. */
export async function press(nvim: TestNeovim, keys: string): Promise<void> {
  await nvim.input(keys);
  await nvim.client.request("nvim_get_mode", []);
}

/** What the chat says that it does, a good second after nothing runs any more. */
export async function staleStatus(nvim: TestNeovim): Promise<string[]> {
  await new Promise((resolve) => setTimeout(resolve, 1200));
  const status = z.string().parse(await nvim.lua("return vim.b.parley_status or ''"));
  return /^[a-z]+ing /.test(status) ? [`Nothing runs, and the chat says “${status}”`] : [];
}

const answers = ["<CR>", "n<CR>", "y", "<Esc>", "<C-c>"] as const;

/** Answers a prompt that stays for a moment: <CR> after a long message, a question, a list to choose from. */
export function answerPrompts({ nvim }: Pick<LiveChat, "nvim">): NodeJS.Timeout {
  let asked = 0;
  return setInterval(async () => {
    const { blocking, mode } = modeAnswer.parse(await nvim.client.request("nvim_get_mode", []));
    asked = blocking || /^[rc]/.test(mode) ? asked + 1 : 0;
    if (asked < 2) return;
    await nvim.input(mode === "rm" ? "q" : (answers[asked % answers.length] ?? ""));
  }, 300);
}

/** Runs a command, and waits for what it opens. An error that it raises is among the messages. */
export async function look(nvim: TestNeovim, command: string, waitMs: number): Promise<void> {
  await nvim.lua(
    `local command, wait = ...
    local ok, message = pcall(vim.cmd, command)
    if not ok then
      vim.api.nvim_echo({ { message } }, true, {})
    end
    vim.wait(wait, function() return false end)`,
    command,
    waitMs,
  );
}

/** Closes all windows but one, which shows the chat as it is on the disk. */
export async function backToChat(nvim: TestNeovim): Promise<void> {
  await nvim.input("<Esc><C-\\><C-n>");
  await nvim.lua(
    `for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_config(win).relative ~= "" then
        pcall(vim.api.nvim_win_close, win, true)
      end
    end
    pcall(vim.cmd, "silent! lclose | silent! cclose | silent! only!")
    pcall(vim.cmd.edit, { bang = true, args = { vim.fn.fnameescape((...)) } })`,
    nvim.chatPath,
  );
}
