/** A person who answers servers' questions as the test says, and keeps what was asked. */
import type { Dialogue } from "../../src/mcp/asking/dialogue.ts";

/** For a selection the item, by how its label begins; for an input the text; null: left. */
export type Answer = string | null;

export interface Person extends Dialogue {
  /** Prompts, details and items, in order. */
  readonly asked: { readonly prompt: string; readonly details: string; readonly items: string }[];
  readonly opened: string[];
  /** How many questions are open now. */
  open(): number;
}

/** `answers` are used up one by one; without one left, the person does not answer. */
export function person(answers: readonly Answer[]): Person {
  const left = [...answers];
  const asked: { prompt: string; details: string; items: string }[] = [];
  const opened: string[] = [];
  let open = 0;
  const answer = (signal: AbortSignal) =>
    new Promise<Answer>((resolve, reject) => {
      signal.throwIfAborted();
      const next = left.shift();
      if (next !== undefined) return resolve(next);
      open += 1;
      signal.addEventListener("abort", () => {
        open -= 1;
        reject(signal.reason);
      });
    });
  return {
    asked,
    opened,
    open: () => open,
    async select({ prompt, details, items }, signal) {
      asked.push({ prompt, details: details.join("\n"), items: items.join("|") });
      const wanted = await answer(signal);
      if (wanted === null) return null;
      const index = items.findIndex((item) => item.startsWith(wanted));
      if (index < 0) throw new Error(`No ${wanted} among ${items.join("|")}`);
      return index;
    },
    async input(prompt, text, signal) {
      asked.push({ prompt, details: "", items: text });
      return answer(signal);
    },
    async openAddress(address) {
      opened.push(address);
      return null;
    },
  };
}
