/** The list of all chats, for Lua's window and for other pickers: what it shows, and what it does to a file. */
import { basename, join } from "node:path";
import { chatsNaming } from "../../app/branches/chat-tree.ts";
import { type ChatIndex, createChatIndex, type ListedChat } from "../../app/chats/chat-index.ts";
import { chatRow, filterChats } from "../../app/chats/filter.ts";
import { moveChat, trashChat } from "../../app/chats/move-chat.ts";
import { visible } from "../../shared/visible.ts";
import type { Lua } from "../lua.ts";

export interface ChatsCommand {
  /** Tells Lua which chats a typed text means; again while the files are still being read. */
  list(message: Asked): Promise<void>;
  /** Renames a chat or puts it into the trash, and tells Lua where it is now. Throws a sentence. */
  move(message: { readonly path: string; readonly to?: string | undefined }): Promise<void>;
  /** Tells Lua the path of the next chat with waiting calls, in the order of the list and after this one. */
  next(message: { readonly path: string }): Promise<void>;
}

export interface ChatsOptions {
  readonly lua: Lua;
  /** Absolute; asked each time. */
  readonly folders: () => readonly string[];
  readonly stateFolder: string;
  readonly trashFolder: string;
}

interface Asked {
  readonly id: number;
  readonly query: string;
  /** The words are looked for in the texts of the chats. */
  readonly texts: boolean;
  /** The folders are read again first. */
  readonly refresh: boolean;
  /** All that fit, and not only as many as a window shows. */
  readonly all?: boolean | undefined;
}

/** Rows that are sent at once: nobody looks at more, and typing makes them fewer. */
const most = 500;

export function createChats({
  lua,
  folders,
  stateFolder,
  trashFolder,
}: ChatsOptions): ChatsCommand {
  const index: ChatIndex = createChatIndex({ folders, stateFolder });
  /** What the window shows, or is about to: typing goes on while files are read. */
  let asked: Asked | null = null;
  let searching = new AbortController();

  const tell = async (shown: Asked, chats: readonly ListedChat[], query: string) => {
    const found = filterChats(chats, query);
    const limit = shown.all === true ? found.length : most;
    const rows = found.slice(0, limit).map((chat) => chatRow(chat, Date.now()));
    const counts = { found: found.length, all: index.chats().length };
    await lua.call("chats", {
      answer: { id: shown.id, rows, ...counts, reading: index.isReading() },
    });
  };
  const show = async (shown: Asked) => {
    const query = shown.query.trim();
    if (!shown.texts || query === "") return tell(shown, index.chats(), query);
    searching.abort();
    searching = new AbortController();
    const { signal } = searching;
    const paths = new Set(await index.search(query, signal));
    const chats = index.chats().filter(({ path }) => paths.has(path));
    if (!signal.aborted && asked === shown) await tell(shown, chats, "");
  };

  return {
    async list(message) {
      asked = message;
      if (!message.refresh) return show(message);
      await index.refresh(() => {
        if (asked !== null && !asked.texts) void tell(asked, index.chats(), asked.query);
      });
      await show(asked);
    },
    async move({ path, to }) {
      const naming = await chatsNaming(path);
      const place =
        to === undefined
          ? await trashChat(path, { trash: trashFolder, state: stateFolder }, new Date())
          : await moveTo(path, to, stateFolder);
      await lua.call("chat_moved", { from: path, to: place, is_deleted: to === undefined });
      if (naming.length === 0) return;
      const names = naming.map((one) => basename(one)).join(", ");
      const message = `A 🌿 line of ${names} names ${basename(path)}, where it is no longer; edit that line.`;
      await lua.call("notify", { level: "warn", message: visible(message) });
    },
    async next({ path }) {
      const waiting = (await index.refresh()).filter(({ state }) => state === "waiting");
      const at = waiting.findIndex((chat) => chat.path === path);
      const next = waiting[(at + 1) % Math.max(1, waiting.length)];
      await lua.call("chat_next", { path: next?.path ?? null });
    },
  };
}

async function moveTo(path: string, to: string, stateFolder: string): Promise<string> {
  await moveChat(path, to, stateFolder);
  return to;
}

/** Where deleted chats lie, beside what else Parley keeps. */
export function trashFolderIn(stateFolder: string): string {
  return join(stateFolder, "trash");
}
