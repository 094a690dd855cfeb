/** `:Parley export`: the chat as HTML or Markdown, in a file in the user's working folder. */

import { lstat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { chatName } from "../../app/chats/chat-file-name.ts";
import {
  type ExportFormat,
  exportChat,
  exportEndings,
  exportFormats,
} from "../../app/export/export-chat.ts";
import { realPath } from "../../app/files/inside.ts";
import { canBeFile, expandHome, invalidNameText } from "../../system/paths.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import { hasCode } from "../../system/system-error.ts";
import { confirmation } from "../asking/questions.ts";
import type { HostChat } from "../chat/host-chat.ts";
import type { OpenHost } from "../context.ts";

/** `words`: the format and the file, both optional; asks before it replaces an existing file. */
export async function exportCommand(chat: HostChat, words: readonly string[]): Promise<void> {
  const { host } = chat;
  const [word = "html", ...names] = words;
  const format = exportFormats.find((known) => known === word);
  if (format === undefined) {
    const known = exportFormats.join(" or ");
    host.notify(
      "warn",
      `:Parley export takes ${known}, and then a file, not ${JSON.stringify(word)}.`,
    );
    return;
  }
  const { transcript } = await chat.chat.read();
  const { text, notices } = await exportChat(transcript, chat.path, format);
  const path = target(host.app.workingDirectory, chat.path, format, names.join(" "));
  if (!canBeFile(path)) return host.notify("warn", invalidNameText);
  if (!(await write(host, path, text))) return;
  const missing = notices.length === 0 ? "" : `\n${notices.join("\n")}`;
  host.notify("info", `Exported to ${path}.${missing}`);
}

function target(folder: string, chat: string, format: ExportFormat, name: string): string {
  const own = chatName(chat) || "chat";
  return resolve(
    folder,
    name === "" ? own + exportEndings[format] : expandHome(name, homeFolder()),
  );
}

async function write(host: OpenHost, path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  const question = await replacing(path);
  if (question === null) {
    host.notify("warn", `${path} is a broken link, so nothing was written.`);
    return false;
  }
  if ((await host.ask(confirmation(question))) !== true) return false;
  await writeFile(path, text);
  return true;
}

/** A repository may contain a link with the export's name that leads to any file of the user's. */
async function replacing(path: string): Promise<string | null> {
  if (!(await lstat(path)).isSymbolicLink()) return `${path} already exists. Replace it?`;
  const real = await realPath(path);
  return real && `${path} is a link to ${real}. Replace what is in that file?`;
}
