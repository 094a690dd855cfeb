/** `:Parley web_search`: the vendor's own search of the web, on or off for this chat. */
import { chatSettings } from "../../conversation/settings/chat-settings.ts";
import { setHeaderValue } from "../../transcript/edits/header-edits.ts";
import type { HostChat } from "../chat/host-chat.ts";

const name = "web_search";

/** Without a word it is what it was not. Other tools of the vendor stay as they are. */
export async function webSearch(chat: HostChat, [word]: readonly string[]): Promise<void> {
  const { host, chat: core } = chat;
  if (word !== undefined && word !== "on" && word !== "off") {
    host.notify("warn", `:Parley web_search takes on or off, not ${JSON.stringify(word)}.`);
    return;
  }
  const written = await core.edit(core.newUndoGroup(), (transcript) => {
    const { settings } = chatSettings(transcript.header, host.app.now.configuration);
    const others = settings.server_tools.filter((tool) => tool !== name);
    const isOn =
      word === undefined ? others.length === settings.server_tools.length : word === "on";
    const tools = isOn ? [...others, name] : others;
    const value = tools.length === 0 ? "none" : tools.join(", ");
    return { edits: setHeaderValue(transcript, "server_tools", value), isOn };
  });
  await chat.refresh();
  if (written === null) return;
  const text = written.isOn
    ? "The vendor may search the web for this chat now; :Parley web_search turns that off."
    : "The vendor no longer searches the web for this chat.";
  host.notify("info", text);
}
