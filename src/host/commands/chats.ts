/** The list of all chats, for Lua's window and for other pickers: its rows, and its actions on files. */
import { type ChatIndex, createChatIndex, type ListedChat } from "../../app/chats/chat-index.ts";
import { chatRow, filterChats } from "../../app/chats/filter.ts";
import { rewriteChat } from "../../app/chats/rewrite-chat.ts";
import { tagEdits, tagsOf } from "../../app/chats/tags.ts";
import { createChatCosts } from "../../app/usage/chat-costs.ts";
import { type ChatMovesOptions, createChatMoves, type Moved } from "./chat-moves.ts";

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

export function createChats(options: ChatMovesOptions): ChatsCommand {
  const { lua, folders, stateFolder } = options;
  const index: ChatIndex = createChatIndex({ folders, stateFolder });
  const moves = createChatMoves(options, index);
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
    move: moves.move,
    async tag({ path, tags }) {
      await moves.inTurn(path, (now) =>
        rewriteChat(now, (transcript) => tagEdits(transcript, tagsOf(tags)), moves.places()),
      );
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
