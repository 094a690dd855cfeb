/** `:Parley quote` and `:Parley define`: selected lines of an answer become the beginning of the next question. */
import { insertQuestion } from "../../../transcript/edits/header-edits.ts";
import { markerAt } from "../../../transcript/markers.ts";
import { escapeReferences } from "../../../transcript/references.ts";
import type { HostChat } from "../../chat/host-chat.ts";

const definition = "What does this mean here? Answer in one or two sentences.";

/** `words`: first and last line, counted from 1, then the question about them; by default, what they mean. */
export async function quote(
  chat: HostChat,
  [first = "", last = "", ...comment]: readonly string[],
): Promise<void> {
  const { chat: core, host } = chat;
  const [from, to] = [Number(first), Number(last)];
  const asked = comment.join(" ").trim() || definition;
  const written = await core.edit(core.newUndoGroup(), (transcript) => {
    const lines = transcript.lines
      .slice(from - 1, to)
      .filter((line) => markerAt(line)?.name !== "comment");
    if (lines.every((line) => line.trim() === "")) return null;
    // A reference in an answer has no effect, and must have none in a quotation.
    const quoted = lines.map((line) => `> ${escapeReferences(line)}`.trimEnd()).join("\n");
    const open = transcript.exchanges.at(-1) ?? null;
    const edit = insertQuestion(transcript, open, `\n${quoted}\n\n${asked}`);
    return { edits: [edit], line: edit.start };
  });
  if (written === null) {
    host.notify("warn", "There is nothing to ask about in these lines; select some text first.");
    return;
  }
  await chat.refresh();
}
