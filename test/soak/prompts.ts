/** Answers for whatever Neovim asks in a session that nobody sits at. */
import type { LiveChat } from "../support/live-chat.ts";
import { modeAnswer } from "./session.ts";

const answers = ["<CR>", "n<CR>", "y", "<Esc>", "<C-c>"] as const;

/** Answers a prompt that stays for a moment: <CR> after a long message, a question, a list to choose from. */
export function answerPrompts({ nvim }: LiveChat): NodeJS.Timeout {
  let asked = 0;
  return setInterval(async () => {
    const { blocking, mode } = modeAnswer.parse(await nvim.client.request("nvim_get_mode", []));
    asked = blocking || /^[rc]/.test(mode) ? asked + 1 : 0;
    if (asked < 2) return;
    await nvim.input(mode === "rm" ? "q" : (answers[asked % answers.length] ?? ""));
  }, 300);
}
