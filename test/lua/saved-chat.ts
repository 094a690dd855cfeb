/** A chat that tests save: what is in it, how a line gets into it, and what its file has then. */
import type { Editor } from "./editor.ts";

export const chat = ["💬: one", "", "🤖:[demo]", "", "Words."];

/** The text of its file with these lines below it. */
export const written = (...lines: string[]) => `${[...chat, ...lines].join("\n")}\n`;

/** Writes a line right below the chat's own, as the host does. */
export async function addLine(editor: Editor, buffer: number, line: string): Promise<unknown> {
  const edits = [{ start: chat.length, end: chat.length, lines: [line] }];
  return editor.call("apply", buffer, await editor.tick(buffer), edits, "a");
}
