/** How servers' questions reach the person in Neovim. */
import type { Dialogue } from "../mcp/dialogue.ts";
import type { Lua } from "./lua.ts";
import { openAddressAnswer } from "./protocol.ts";
import type { QuestionOptions } from "./questions.ts";

type Ask = (question: QuestionOptions, signal: AbortSignal) => Promise<unknown>;

export function createDialogue(lua: Lua, ask: Ask): Dialogue {
  return {
    async select({ prompt, details, items }, signal) {
      const numbered = items.map((label, value) => ({ label, value }));
      const question = { kind: "select", prompt, details, items: numbered, patient: true } as const;
      const value = await ask(question, signal);
      return typeof value === "number" ? value : null;
    },
    async input(prompt, text, signal) {
      const value = await ask({ kind: "input", prompt, default: text, patient: true }, signal);
      return typeof value === "string" ? value : null;
    },
    async openAddress(address) {
      const { status, message } = openAddressAnswer.parse(await lua.call("open_address", address));
      if (status === "opened") return null;
      return `${message ?? "Neovim knows no program for it."} Open it yourself: ${address}`;
    },
  };
}
