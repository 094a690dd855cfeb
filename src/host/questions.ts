/** Questions to the person through `vim.ui`; the answer comes back as a message of its own, so nothing blocks. */

import { z } from "zod";
import type { Dialogue, Page, PageMistake } from "../mcp/asking/dialogue.ts";
import { given } from "../shared/given.ts";
import { visible } from "../shared/visible.ts";
import type { Lua } from "./lua.ts";
import { openAddressAnswer } from "./protocol.ts";

export interface QuestionOptions {
  readonly kind: "select" | "input" | "confirm" | "form";
  /** One line. */
  readonly prompt: string;
  /** Lines to read before choosing; for `select` and `confirm`. */
  readonly details?: readonly string[];
  readonly items?: readonly (
    | string
    | { readonly label: string; readonly value: string | number }
  )[];
  /** The text to fill in; for `form`. */
  readonly page?: Page;
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
function shown({ prompt, details = [], page, ...others }: QuestionOptions): QuestionOptions {
  return {
    ...others,
    prompt: visible(prompt),
    details: details.map((line) => visible(line)),
    ...given({ page: page && { ...page, lines: page.lines.map((line) => visible(line)) } }),
  };
}

export function createQuestions(lua: Lua) {
  const waiting = new Map<number, (value: unknown) => void>();
  let next = 1;
  return {
    /**
     * The text chosen or typed, `true` for a yes; null when the person cancelled. Rejects with the signal's
     * reason when it is aborted: the question is taken away, and a late answer is nobody's.
     */
    async ask(
      options: QuestionOptions,
      signal?: AbortSignal,
      /** Looks at each answer before it is one; false: the person is asked on. */
      accepts: (id: number, value: unknown) => Promise<boolean> = async () => true,
    ): Promise<unknown> {
      signal?.throwIfAborted();
      const id = next++;
      let withdraw = () => {};
      const answer = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, (value) => {
          accepts(id, value).then((isAccepted) => isAccepted && resolve(value), reject);
        });
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

type Ask = ReturnType<typeof createQuestions>["ask"];

/** What is told of a form: its lines as they were written; null: it was left. */
const writtenForm = z.object({ lines: z.array(z.string()) }).nullable();

export function createDialogue(lua: Lua, ask: Ask): Dialogue {
  return {
    async select({ prompt, details, items }, signal) {
      const numbered = items.map((label, value) => ({ label, value }));
      const question = { kind: "select", prompt, details, items: numbered, patient: true } as const;
      const value = await ask(question, signal);
      return typeof value === "number" ? value : null;
    },
    async fill(page, check, signal) {
      const question = { kind: "form", prompt: page.title, page, patient: true } as const;
      const value = await ask(question, signal, async (id, answer) => {
        const written = writtenForm.parse(answer);
        if (written === null) return true;
        const mistakes = await check(written.lines);
        if (mistakes.length === 0) {
          await lua.call("withdraw", id);
          return true;
        }
        await lua.call("form_mistakes", id, mistakes.map(shownMistake));
        return false;
      });
      return writtenForm.parse(value)?.lines ?? null;
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

function shownMistake({ line, text }: PageMistake): PageMistake {
  return { line, text: visible(text) };
}
