/** Which files are chats. */
import { markerAt } from "../transcript/markers.ts";
import type { Transcript } from "../transcript/transcript.ts";

export interface ChatLocation {
  /** Absolute, with `/` between folders; null while the text has no file. */
  readonly path: string | null;
  /** Folders for chats, in the same form. */
  readonly chatDirs: readonly string[];
  /** A person said that this is a chat. */
  readonly attached: boolean;
}

/**
 * A file is a chat when it has a topic in its header or a turn and lies in a chat folder, or when it was attached. The
 * editor decides before there is a host: `lua/parley/text/chat_text.lua` is the same rule, held by the same texts.
 */
export function isChat({ header, lines }: Transcript, place: ChatLocation): boolean {
  if (place.attached) return true;
  if (!liesInChatFolder(place)) return false;
  return (
    header.entries.some(({ key }) => key === "topic") ||
    lines.some((line, index) => beginsTurn(index === 0 ? line.replace(/^\uFEFF/, "") : line))
  );
}

function liesInChatFolder({ path, chatDirs }: ChatLocation): boolean {
  return (
    path !== null && chatDirs.some((folder) => path.startsWith(`${folder.replace(/\/+$/, "")}/`))
  );
}

function beginsTurn(line: string): boolean {
  const name = markerAt(line)?.name;
  return name === "question" || name === "answer";
}
