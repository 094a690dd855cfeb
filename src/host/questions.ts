/** Questions to the person through `vim.ui`; the answer comes back as a message of its own, so nothing blocks. */

import type { Dialogue } from "../mcp/asking/dialogue.ts";
import { visible } from "../shared/visible.ts";
import type { Lua } from "./lua.ts";
import { openAddressAnswer } from "./protocol.ts";

export interface QuestionOptions {
  readonly kind: "select" | "input" | "confirm";
  /** One line. */
  readonly prompt: string;
  /** Lines to read before choosing; for `select` and `confirm`. */
  readonly details?: readonly string[];
  readonly items?: readonly (
    | string
    | { readonly label: string; readonly value: string | number }
  )[];
  readonly default?: string;
  /** What is typed is not shown; for `input`. */
  readonly secret?: boolean;
  /** The person did not bring it about just now: it waits until they type nothing. */
  readonly patient?: boolean;
}

/** A yes or no; what is to be read before it stands in the lines below the first. */
export function confirmation(question: string): QuestionOptions {
  const [prompt = "", ...details] = question.split("\n");
  // As a rule it comes while something is under way, and must not take the keys of somebody who types.
  return { kind: "confirm", prompt, details, patient: true };
}

/** Without what nobody sees; items are as they were given, since one of them is the answer. */
function shown({ prompt, details = [], ...others }: QuestionOptions): QuestionOptions {
  return { ...others, prompt: visible(prompt), details: details.map((line) => visible(line)) };
}

export function createQuestions(lua: Lua) {
  const waiting = new Map<number, (value: unknown) => void>();
  let next = 1;
  return {
    /**
     * The text chosen or typed, `true` for a yes; null when the person cancelled. Rejects with the signal's
     * reason when it is aborted: the question is taken away, and a late answer is nobody's.
     */
    async ask(options: QuestionOptions, signal?: AbortSignal): Promise<unknown> {
      signal?.throwIfAborted();
      const id = next++;
      let withdraw = () => {};
      const answer = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, resolve);
        withdraw = () => {
          waiting.delete(id);
          reject(signal?.reason);
          lua.call("withdraw", id).catch(reject);
        };
      });
      signal?.addEventListener("abort", withdraw, { once: true });
      try {
        const [, value] = await Promise.all([lua.call("ask", id, shown(options)), answer]);
        return value;
      } finally {
        waiting.delete(id);
        signal?.removeEventListener("abort", withdraw);
      }
    },
    answer(id: number, value: unknown): void {
      waiting.get(id)?.(value ?? null);
    },
  };
}

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
