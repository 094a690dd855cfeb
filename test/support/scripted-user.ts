/** A user who answers servers' questions as the test says, and keeps what was asked. */
import type { Dialogue } from "../../src/mcp/asking/dialogue.ts";

/** For a selection the item, by how its label begins; for an input the text, for a form its lines; null: left. */
export type Answer = string | null;

export interface ScriptedUser extends Dialogue {
  /** Prompts, details and items, in order. */
  readonly asked: { readonly prompt: string; readonly details: string; readonly items: string }[];
  readonly opened: string[];
  /** How many questions are open now. */
  open(): number;
}

/** The lines with `name: value` of the answer in place of those of the same name. */
function filledIn(lines: readonly string[], answer: string): readonly string[] {
  const given = answer.split("\n");
  const nameOf = (line: string) => line.slice(0, line.indexOf(":"));
  return lines.map((line) => {
    const isField = line.includes(":") && !line.startsWith("#");
    return (isField && given.find((one) => nameOf(one) === nameOf(line))) || line;
  });
}

/** `answers` are used up one by one; without one left, the user does not answer. */
export function scriptedUser(answers: readonly Answer[]): ScriptedUser {
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
    async fill({ title, lines }, check, signal) {
      asked.push({ prompt: title, details: lines.join("\n"), items: "" });
      for (;;) {
        const wanted = await answer(signal);
        if (wanted === null) return null;
        const written = filledIn(lines, wanted);
        const mistakes = await check(written);
        if (mistakes.length === 0) return written;
        asked.push({
          prompt: title,
          details: written.join("\n"),
          items: mistakes.map(({ line, text: reason }) => `${line + 1}: ${reason}`).join("|"),
        });
      }
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
