/** Offers the rules of a project at the first request of a chat; with approval they are named in its header. */

import { basename } from "node:path";
import { agreedRules, type RulesAnswer } from "../../app/references/ask-rules.ts";
import { chatSettings } from "../../conversation/settings/chat-settings.ts";
import type { Chat } from "../../conversation/turn/chat.ts";
import { messageOf } from "../../shared/json.ts";
import { visible } from "../../shared/visible.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import { setHeaderValue } from "../../transcript/edits/header-edits.ts";
import type { OpenHost } from "../context.ts";
import { log } from "../log.ts";

/** Returns the new place of the line, since the header above it may have grown. */
export async function askRules(chat: Chat, host: OpenHost, line: number): Promise<number> {
  const { transcript } = await chat.read();
  const isBegun = transcript.exchanges.some(({ answer }) => answer !== null);
  const { configuration } = host.app.now;
  const { settings } = chatSettings(transcript.header, configuration);
  const isSaid = transcript.header.entries.some(({ key }) => /^rules(?:_files)?$/.test(key));
  if (isBegun || isSaid || settings.rules_files.length > 0 || chat.active !== null) return line;
  const { workingDirectory: workingFolder, options } = host.app;
  const offer = { workingFolder, home: homeFolder(), stateFolder: options.stateFolder, ask };
  const names = await agreedRules(offer).catch((error: unknown) => {
    // If the answer could not be kept, every chat would ask again.
    log.info(`rules-offers: ${messageOf(error)}`);
    return [];
  });
  if (names.length === 0) return line;
  let shift = 0;
  await chat.edit(chat.newUndoGroup(), (now) => {
    const edits = setHeaderValue(now, "rules_files", names.join(", "));
    shift = edits.reduce((sum, { start, end, lines }) => sum + lines.length - (end - start), 0);
    return { edits };
  });
  return line + shift;

  async function ask(found: readonly string[], folder: string): Promise<RulesAnswer> {
    const list = found.map((name) => visible(name)).join(", ");
    const answer = await host.ask({
      kind: "select",
      prompt: `Rules for work in ${visible(basename(folder))}: ${list}. Send them with every request?`,
      items: [
        { label: "No", value: "no" },
        { label: "Yes, in this chat", value: "chat" },
        { label: "Yes, in every chat that begins in this folder", value: "folder" },
      ],
    });
    return answer === "chat" || answer === "folder" ? answer : "no";
  }
}
