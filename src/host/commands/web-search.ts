/** `:Parley web_search`: switches the vendor's own web search on or off for this chat. */
import { transcriptModel } from "../../app/configuration/default-model.ts";
import { chatSettings } from "../../conversation/settings/chat-settings.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import { findVendor } from "../../providers/vendors/vendors.ts";
import { ownValue } from "../../shared/json.ts";
import { setHeaderValue } from "../../transcript/edits/header-edits.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import type { HostChat } from "../chat/host-chat.ts";

const name = "web_search";

/** Without a word it toggles. Other tools of the vendor stay as they are. */
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
    return { edits: setHeaderValue(transcript, "server_tools", value), isOn, transcript };
  });
  await chat.refresh();
  if (written === null) return;
  if (!written.isOn) {
    host.notify("info", "The vendor no longer searches the web for this chat.");
    return;
  }
  const without = modelWithout(chat, written.transcript);
  host.notify(
    without === null ? "info" : "warn",
    without === null
      ? "The vendor may search the web for this chat now; :Parley web_search turns that off."
      : `${without} has no web search of its own, so nothing is searched until this chat has another model. :Parley models lists which have ${name}.`,
  );
}

/** The name of the chat's model when its vendor has no web search; else null. */
function modelWithout({ host: { app } }: HostChat, transcript: Transcript): string | null {
  const { configuration } = app.now;
  const model = transcriptModel(transcript, {
    configuration,
    environment: app.options.environment,
  });
  const vendor = findVendor(model.provider, ownValue(configuration.providers, model.provider));
  return vendor !== null && Object.hasOwn(vendor.serverTools, name) ? null : formatModelName(model);
}
