/** Asks the user questions through `vim.ui`; the answer arrives as a separate message, so nothing blocks. */

import * as z from "zod";
import type { Agreement, OriginQuestion } from "../../app/open-chat/chat-origin.ts";
import type { Dialogue, PageMistake } from "../../mcp/asking/dialogue.ts";
import { given } from "../../shared/given.ts";
import { visible } from "../../shared/visible.ts";
import type { Lua } from "../lua.ts";
import type { QuestionOptions } from "../lua-calls.ts";

/** A question to approve or decline; the lines below the first are details to read. */
export function confirmation(question: string): QuestionOptions {
  const [prompt = "", ...details] = question.split("\n");
  // It usually comes while something is running, and must not catch the keys of a user who is typing.
  return { kind: "confirm", prompt, details, patient: true };
}

/** The question with control characters made visible; items stay as given, since one of them is the answer. */
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
  // Counts from the machine's uptime: a question of a killed host may still be on screen, and must have another number.
  let next = Number(process.hrtime.bigint() / 1_000_000n);
  return {
    /**
     * Resolves with the text chosen or typed, or `true` for an approval; null when the user cancelled. Rejects with the
     * signal's reason when it is aborted: the question is removed, and a late answer is ignored.
     */
    async ask(
      options: QuestionOptions,
      signal?: AbortSignal,
      /** Checks each answer first; false: the user is still asked. */
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
          lua.call("withdraw", { id }).catch(reject);
        };
      });
      signal?.addEventListener("abort", withdraw, { once: true });
      try {
        const [, value] = await Promise.all([
          lua.call("ask", { id, question: shown(options) }),
          answer,
        ]);
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

/** What Lua sends about a form: its lines as written; null: the user left it. */
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
          await lua.call("withdraw", { id });
          return true;
        }
        await lua.call("form_mistakes", { id, mistakes: mistakes.map(shownMistake) });
        return false;
      });
      return writtenForm.parse(value)?.lines ?? null;
    },
    async input(prompt, text, signal) {
      const value = await ask({ kind: "input", prompt, default: text, patient: true }, signal);
      return typeof value === "string" ? value : null;
    },
    async openAddress(address) {
      const { status, message } = await lua.call("open_address", { address });
      if (status === "opened") return null;
      return `${message ?? "Neovim found no program to open it."} Open it yourself: ${address}`;
    },
  };
}

function shownMistake({ line, text }: PageMistake): PageMistake {
  return { line, text: visible(text) };
}

/**
 * Asks in one dialog about everything that a chat from elsewhere would open, and that looks like a secret. A yes for the
 * latter alone is for this request, since each request that reads a secret asks.
 */
export async function askAboutOrigin(
  ask: (question: QuestionOptions) => Promise<unknown>,
  { openings, named, folder }: OriginQuestion,
): Promise<Agreement> {
  const all = (isAllowed: boolean) => openings.map(() => isAllowed);
  const isForeign = openings.some((opening) => opening.isForeign);
  const items = [
    { label: "No, open nothing", value: "none" },
    ...(isForeign
      ? [
          { label: "Yes, for this file", value: "file" },
          { label: `Yes, for all chats in ${visible(folder)}`, value: "folder" },
        ]
      : [{ label: "Yes, send it this time", value: "now" }]),
    ...(openings.length > 1 ? [{ label: "Choose one by one", value: "each" }] : []),
  ];
  const answer = await ask({
    kind: "select",
    prompt: isForeign
      ? "This was not written in this Neovim. Open it?"
      : "This looks like a secret. Send it to the model?",
    details: [
      isForeign ? "The chat would open:" : "Your question:",
      ...openings.map(({ text }) => `  ${text}`),
      ...(named === null ? [] : [`Its header also sets ${named}.`]),
    ],
    items,
    patient: true,
  });
  if (answer === "now") return { allowed: all(true), keep: "once" };
  if (answer === "file" || answer === "folder") return { allowed: all(true), keep: answer };
  if (answer !== "each") return { allowed: all(false), keep: "once" };
  const allowed: boolean[] = [];
  for (const { text } of openings) {
    allowed.push((await ask(confirmation(`Open this? ${text}`))) === true);
  }
  return { allowed, keep: isForeign ? "file" : "once" };
}
