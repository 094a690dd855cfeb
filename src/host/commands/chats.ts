/** The list of all chats, for Lua's window and for other pickers: its rows, and its actions on files. */
import { basename } from "node:path";
import { chatsNaming } from "../../app/branches/chat-tree.ts";
import { renamedPath } from "../../app/chats/chat-file-name.ts";
import { type ChatIndex, createChatIndex, type ListedChat } from "../../app/chats/chat-index.ts";
import { chatRow, filterChats } from "../../app/chats/filter.ts";
import { type MoveOptions, moveChat, movedLines, trashChat } from "../../app/chats/move-chat.ts";
import { type MovedChat, type Relinked, relinkChats } from "../../app/chats/relink.ts";
import { type RewriteSources, rewriteChat } from "../../app/chats/rewrite-chat.ts";
import { tagEdits, tagsOf } from "../../app/chats/tags.ts";
import { whileIdle } from "../../app/chats/while-idle.ts";
import type { Keep } from "../../app/state/own-files.ts";
import { createChatCosts } from "../../app/usage/chat-costs.ts";
import { counted } from "../../shared/counted.ts";
import { visible } from "../../shared/visible.ts";
import type { Edit, Transcript } from "../../transcript/transcript.ts";
import type { Lua } from "../lua.ts";

export interface ChatsCommand {
  /** Sends Lua the chats that match a query; again while the files are still being read. */
  list(message: Asked): Promise<void>;
  /** Moves or renames a chat or moves it to the trash, and sends Lua its new path. Throws a sentence. */
  move(message: Moved): Promise<void>;
  /** Replaces the tags of a chat by these, as typed. Throws a sentence. */
  tag(message: { readonly path: string; readonly tags: string }): Promise<void>;
  /** Sends Lua the path of the next chat with waiting calls, in the order of the list and after this one. */
  next(message: { readonly path: string }): Promise<void>;
}

export interface ChatsOptions {
  readonly lua: Lua;
  /** Absolute; called each time. */
  readonly folders: () => readonly string[];
  readonly stateFolder: string;
  /** The chats that are open here. */
  readonly open: RewriteSources["open"];
  readonly keep: Keep;
  log(text: string): void;
}

interface Moved {
  readonly path: string;
  readonly to?: string | undefined;
  /** As typed, instead of `to`. */
  readonly name?: string | undefined;
  /** The changedtick of the text that was saved before; missing when the chat is not open here. */
  readonly tick?: number | undefined;
}

interface Asked {
  readonly id: number;
  readonly query: string;
  /** Whether to search the texts of the chats. */
  readonly texts: boolean;
  /** Whether to read the folders again first. */
  readonly refresh: boolean;
  /** Whether to send all matches, not only as many as a window shows. */
  readonly all?: boolean | undefined;
}

/** The most rows sent at once: users look at no more, and typing narrows them down. */
const most = 500;

export function createChats(options: ChatsOptions): ChatsCommand {
  const { lua, folders, stateFolder, log } = options;
  const index: ChatIndex = createChatIndex({ folders, stateFolder });
  const costs = createChatCosts(stateFolder);
  /** The latest query: the user types on while files are read. */
  let asked: Asked | null = null;
  let searching = new AbortController();

  const showRows = async (shown: Asked, chats: readonly ListedChat[], query: string) => {
    const found = filterChats(chats, query);
    const limit = shown.all === true ? found.length : most;
    const rows = found
      .slice(0, limit)
      .map((chat) => chatRow(chat, Date.now(), costs.of(chat.path)));
    const counts = { found: found.length, all: index.chats().length };
    await lua.call("chats", {
      answer: { id: shown.id, rows, ...counts, reading: index.isReading() },
    });
  };
  const show = async (shown: Asked) => {
    const query = shown.query.trim();
    if (!shown.texts || query === "") return showRows(shown, index.chats(), query);
    searching.abort();
    searching = new AbortController();
    const { signal } = searching;
    const paths = new Set(await index.search(query, signal));
    const chats = index.chats().filter(({ path }) => paths.has(path));
    if (!signal.aborted && asked === shown) await showRows(shown, chats, "");
  };

  return {
    async list(message) {
      asked = message;
      if (!message.refresh) return show(message);
      const chats = await index.refresh(() => {
        if (asked !== null && !asked.texts) void showRows(asked, index.chats(), asked.query);
      });
      // A caller that takes all rows of one answer gets them with their costs.
      if (message.all === true) await costs.refresh(chats.map(({ path }) => path));
      await show(asked);
      if (message.all === true) return;
      if (await costs.refresh(chats.map(({ path }) => path))) await show(asked);
    },
    move: (message) => move(message, options, index),
    async tag({ path, tags }) {
      const places = { stateFolder, chatFolders: folders(), open: options.open, log };
      await rewriteChat(path, (transcript) => tagEdits(transcript, tagsOf(tags)), places);
      await lua.call("chats_changed", {});
    },
    async next({ path }) {
      const waiting = (await index.refresh()).filter(({ state }) => state === "waiting");
      const at = waiting.findIndex((chat) => chat.path === path);
      const next = waiting[(at + 1) % Math.max(1, waiting.length)];
      await lua.call("chat_next", { path: next?.path ?? null });
    },
  };
}

async function move(
  { path, name, tick, ...target }: Moved,
  options: ChatsOptions,
  index: ChatIndex,
): Promise<void> {
  const { lua, folders, stateFolder, open, keep, log } = options;
  const to = name === undefined ? target.to : renamedPath(path, name);
  const places = { stateFolder, chatFolders: folders(), open, keep, log };
  const naming = await chatsNaming(path);
  // Until the buffer has the new name, the chat must not be answered under its old one.
  const place = await whileIdle(path, options, () => moveInEditor({ path, to, tick }, lua, places));
  const notify = (level: "info" | "warn", message: string) =>
    lua.call("notify", { level, message: visible(message) });
  if (to === undefined) {
    if (naming.length > 0) await notify("warn", deadLinksText(naming, path));
    return;
  }
  await index.refresh();
  const holding = await index.search(basename(path), new AbortController().signal);
  const moved: MovedChat = { from: path, to: place };
  const relinked = await relinkChats([...naming, ...holding], moved, places);
  const [level, message] = relinkedText(relinked, basename(place)) ?? [];
  if (level !== undefined && message !== undefined) await notify(level, message);
  await lua.call("chats_changed", {});
}

/** Moves the chat, to the trash without `to`; its editor, if it is open, goes on with the new file. Returns its path. */
async function moveInEditor(
  { path, to, tick }: Omit<Moved, "name">,
  lua: Lua,
  places: Omit<MoveOptions, "follow"> & RewriteSources,
): Promise<string> {
  let now = path;
  let isNewer = false;
  const follow = async (moved: string) => {
    now = moved;
    const row = { from: path, to: now, tick: tick ?? null, is_deleted: to === undefined };
    const editor = await lua.call("chat_moved", row);
    isNewer = editor.is_newer;
    return editor.has_all;
  };
  try {
    if (to === undefined) await trashChat(path, { ...places, follow }, new Date());
    else await moveChat(path, to, { ...places, follow });
  } finally {
    // The editor wrote the text that it had, with links as they were under the old name.
    if (isNewer) await rewriteChat(now, (transcript) => movedEdits(transcript, path, now), places);
  }
  return now;
}

function movedEdits({ lines }: Transcript, from: string, to: string): readonly Edit[] {
  const moved = movedLines(lines, from, to);
  return lines.flatMap((line, start) => {
    const renewed = moved[start] ?? line;
    return renewed === line ? [] : [{ start, end: start + 1, lines: [renewed] }];
  });
}

/** `naming` are the chats that link to the deleted one. */
function deadLinksText(naming: readonly string[], deleted: string): string {
  const names = naming.map((one) => basename(one)).join(", ");
  const verb = naming.length === 1 ? "links" : "link";
  return `${names} still ${verb} to ${basename(deleted)}, which is in the trash now; edit the 🌿 line.`;
}

/** Null: there were no links. */
function relinkedText(
  { links, chats, left }: Relinked,
  name: string,
): readonly ["info" | "warn", string] | null {
  const verb = links === 1 ? "names" : "name";
  const done =
    links === 0
      ? ""
      : `${counted(links, "🌿 link")} in ${counted(chats, "chat")} ${verb} ${name} now.`;
  if (left.length === 0) return done === "" ? null : ["info", done];
  const rest = `These still use its old name, so edit their 🌿 lines: ${left.join("; ")}.`;
  return ["warn", `${done} ${rest}`.trim()];
}
