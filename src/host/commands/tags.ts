/** `:Parley tags`: changes the tags in a chat's header. */
import { chatTags } from "../../app/chats/summary.ts";
import { tagEdits, tagsOf } from "../../app/chats/tags.ts";
import { saveText } from "../../conversation/turn/save-before.ts";
import type { HostChat } from "../chat/host-chat.ts";

/** Without words, asks the user, starting from the current tags. */
export async function editTags(chat: HostChat, words: readonly string[]): Promise<void> {
  const { chat: core, host } = chat;
  const before = chatTags((await core.read()).transcript.header).join(", ");
  const typed =
    words.length > 0
      ? words.join(" ")
      : await host.ask({ kind: "input", prompt: "Tags of this chat: ", default: before });
  if (typeof typed !== "string" || typed.trim() === before) return;
  await core.edit(core.newUndoGroup(), (transcript) => ({
    edits: tagEdits(transcript, tagsOf(typed)),
  }));
  await saveText(core);
  await chat.refresh();
}
