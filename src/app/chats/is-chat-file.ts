/** Which files are chats, with paths of this system. */
import { realpath } from "node:fs/promises";
import { type ChatLocation, isChat } from "../../conversation/is-chat.ts";
import type { Transcript } from "../../transcript/transcript.ts";

/**
 * `isChat` for absolute paths of this system. Folders are compared also as they are behind symbolic links, since
 * an editor may name a file either way.
 */
export async function isChatFile(transcript: Transcript, place: ChatLocation): Promise<boolean> {
  const real = await Promise.all(place.chatDirs.map(realOrSame));
  const chatDirs = [...new Set([...place.chatDirs, ...real])].map(withSlashes);
  const path = place.path === null ? null : withSlashes(place.path);
  return isChat(transcript, { ...place, path, chatDirs });
}

/** A folder that is not there yet has no other name. */
async function realOrSame(folder: string): Promise<string> {
  return await realpath(folder).catch(() => folder);
}

function withSlashes(path: string): string {
  return process.platform === "win32" ? path.replaceAll("\\", "/") : path;
}
