/** A chat with two open calls, in an editor where keys are pressed on them. */
import type { InstalledNeovim } from "../support/neovims.ts";
import { type Editor, poll, startEditor } from "./editor.ts";

const call = (id: string) =>
  `❓: \`{"id":"${id}","type":"function","function":{"name":"web_search"}}\``;

export const callOne = call("call_1");
export const callTwo = call("call_2");

export const chat = [
  "💬: alpha beta gamma delta",
  'second (line) of the "question"',
  "",
  "🤖:[demo]",
  "",
  "Some words here.",
  "",
  callOne,
  callTwo,
];

export async function startWithOpenCalls(neovim: InstalledNeovim) {
  const editor = await startEditor(neovim, { before: "vim.o.timeoutlen = 300" });
  const buffer = await editor.openChat("keys.md", chat);
  const waiting = waitingIn(editor, buffer);
  await waiting.show([7, 8]);
  return waiting;
}

function waitingIn(editor: Editor, buffer: number) {
  const register = (name = '"') => editor.nvim.call("getreg", [name]) as Promise<string>;
  const state = async () =>
    (await editor.nvim.request("nvim_get_mode", [])) as { mode: string; blocking: boolean };
  const decisions = () => editor.received("key");
  return {
    editor,
    buffer,
    register,
    decisions,
    async show(calls: readonly number[], more: Record<string, unknown> = {}) {
      const lines = await editor.lines(buffer);
      return editor.call("show", buffer, await editor.tick(buffer), {
        calls: calls.map((line) => ({
          line,
          text: lines[line],
          tool: `tool of ${lines[line]}`,
          effect: "e",
          row: `web_search ${line} · server mock`,
          whole: true,
          lines: [`  query: ${line}`],
          cut: false,
          full: ["mock · web_search", `  query: ${line}, in full`],
          ...more,
        })),
        keys: calls.length > 0,
      });
    },
    goTo: (line: number, column = 0) =>
      editor.lua("vim.api.nvim_win_set_cursor(0, {...})", line, column),
    decision: () =>
      poll("a decision", async () => {
        const all = await decisions();
        return all.length > 0 && all;
      }),
    mode: (wanted: string) => poll(`mode ${wanted}`, async () => (await state()).mode === wanted),
    waitsForMore: () => poll("a half-typed command", async () => (await state()).blocking),
    /** The text that `keys` yank; the register was empty before. */
    async yanked(keys: string, name = '"'): Promise<string> {
      await editor.lua("vim.fn.setreg((...), '')", name);
      await editor.press(keys);
      return poll(`a yank by ${keys}`, async () => (await register(name)) || false);
    },
  };
}

export type WaitingEditor = ReturnType<typeof waitingIn>;
