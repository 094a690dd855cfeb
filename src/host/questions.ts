/** Questions to the person through `vim.ui`; the answer comes back as a message of its own, so nothing blocks. */
import type { Lua } from "./lua.ts";

export interface QuestionOptions {
  readonly kind: "select" | "input" | "confirm";
  readonly prompt: string;
  readonly items?: readonly (string | { readonly label: string; readonly value: string })[];
  readonly default?: string;
  /** What is typed is not shown; for `input`. */
  readonly secret?: boolean;
}

export function createQuestions(lua: Lua) {
  const waiting = new Map<number, (value: unknown) => void>();
  let next = 1;
  return {
    /** The text chosen or typed, `true` for a yes; null when the person cancelled. */
    async ask(options: QuestionOptions): Promise<unknown> {
      const id = next++;
      const answer = new Promise<unknown>((resolve) => waiting.set(id, resolve));
      await lua.call("ask", id, options);
      return answer;
    },
    answer(id: number, value: unknown): void {
      const resolve = waiting.get(id);
      waiting.delete(id);
      resolve?.(value ?? null);
    },
  };
}
