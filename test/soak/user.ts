/** Somebody who looks at what Parley shows, comes back to the chat, and answers what Neovim asks. */
import { z } from "zod";
import type { LiveChat } from "../support/live-chat.ts";
import type { Reply } from "../support/live-model.ts";
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
const denials = ["<Esc>", "n<CR>", "<C-c>"] as const;

/** Answers a prompt that stays for a moment: <CR> after a long message, a question, a list to choose from. */
export function answerPrompts(live: Pick<LiveChat, "nvim">): NodeJS.Timeout {
  return answerBy(live, answers);
}

/** The same, and never with a yes. */
export function denyPrompts(live: Pick<LiveChat, "nvim">): NodeJS.Timeout {
  return answerBy(live, denials);
}

function answerBy({ nvim }: Pick<LiveChat, "nvim">, given: readonly string[]): NodeJS.Timeout {
  let asked = 0;
  return setInterval(async () => {
    const { blocking, mode } = modeAnswer.parse(await nvim.client.request("nvim_get_mode", []));
    asked = blocking || /^[rc]/.test(mode) ? asked + 1 : 0;
    if (asked < 2) return;
    await nvim.input(mode === "rm" ? "q" : (given[asked % given.length] ?? ""));
  }, 300);
}

/** A chat, and the answers of its model that are not ended yet. */
export interface Asking {
  readonly live: LiveChat;
  readonly open: Reply[];
}

/** Takes the answers that were asked for meanwhile. */
export function takeAsked({ live, open }: Asking): void {
  for (let reply = live.model.take(); reply !== undefined; reply = live.model.take()) {
    open.push(reply);
  }
}

/** Waits for a request, for so many milliseconds at most. */
export async function arrived(asking: Asking, patienceMs: number): Promise<void> {
  const end = Date.now() + patienceMs;
  takeAsked(asking);
  while (asking.open.length === 0 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    takeAsked(asking);
  }
}

/** Stops what is under way. */
export async function untilNothingRuns(nvim: TestNeovim): Promise<void> {
  await press(nvim, "<Esc><C-\\><C-n>");
  await nvim.until("the end of the prompts", async () => !(await isAsked(nvim)), 15_000);
  await nvim.until(
    "nothing under way",
    async () => {
      await nvim.lua("pcall(vim.cmd, 'messages clear') pcall(vim.cmd, 'Parley stop')");
      await new Promise((resolve) => setTimeout(resolve, 100));
      return !(await isAsked(nvim)) && /Nothing is running/.test(await nvim.messages());
    },
    15_000,
  );
}

/** Asks one more question, and returns the chat with its answer. */
export async function lastAnswer(asking: Asking): Promise<string> {
  const { live, open } = asking;
  const { nvim } = live;
  await nvim.until(
    "an answer to the last question",
    async () => {
      const isIdle =
        (await nvim.lua("return (vim.b.parley_status or ''):find('^%l+ing ') == nil")) === true;
      if (isIdle) {
        await backToChat(nvim);
        await press(nvim, "<Esc><C-\\><C-n>Go💬: last<Esc><C-g><C-g>");
      }
      await arrived(asking, 1000);
      return open.length > 0;
    },
    60_000,
  );
  for (const reply of open.splice(0)) {
    reply.say("The last words.");
    reply.end();
  }
  // Something that was asked for before may have opened now.
  await nvim.lua("vim.cmd('silent! buffer ' .. vim.fn.bufnr((...)))", nvim.chatPath);
  return nvim.untilText(/The last words\./);
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
