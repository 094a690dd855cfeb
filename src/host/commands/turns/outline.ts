/** `:Parley outline`: lists the questions of a chat as places. */
import { outlineRows } from "../../../app/chats/outline.ts";
import type { HostChat } from "../../chat/host-chat.ts";

export async function outline(chat: HostChat): Promise<void> {
  const { transcript } = await chat.chat.read();
  const rows = outlineRows(transcript, chat.chat.session);
  if (rows.length === 0) {
    chat.host.notify("info", "Nothing has been asked in this chat yet.");
    return;
  }
  await chat.host.lua.call("outline", { buf: chat.editor.number, rows });
}
