/** Moves, renames and deletes chats: the files, their buffer, and the links in other chats. */
import { basename, join } from "node:path";
import { chatsNaming } from "../../app/branches/chat-tree.ts";
import { renamedPath } from "../../app/chats/chat-file-name.ts";
import type { ChatIndex } from "../../app/chats/chat-index.ts";
import { type MoveOptions, moveChat, trashChat } from "../../app/chats/move-chat.ts";
import { movedEdits } from "../../app/chats/moved-text.ts";
import { type Relinked, relinkChats } from "../../app/chats/relink.ts";
import { type RewriteSources, rewriteChat } from "../../app/chats/rewrite-chat.ts";
import { whileIdle } from "../../app/chats/while-idle.ts";
import type { Keep } from "../../app/state/own-files.ts";
import { counted } from "../../shared/counted.ts";
import { Refusal } from "../../shared/refusal.ts";
import { visible } from "../../shared/visible.ts";
import type { Lua } from "../lua.ts";

export interface ChatMovesOptions {
  readonly lua: Lua;
  /** Absolute; called each time. */
  readonly folders: () => readonly string[];
  readonly stateFolder: string;
  /** The chats that are open here. */
  readonly open: RewriteSources["open"];
  /** Runs work on the chat with this path after what the user did there before, and before what the user does next. */
  inOrder(path: string, work: () => Promise<void>): Promise<void>;
  readonly keep: Keep;
  log(text: string): void;
}

export interface Moved {
  readonly path: string;
  /** Absolute; the chat keeps its name there. */
  readonly folder?: string | undefined;
  /** As typed, instead of `folder`; without either, the chat is put in the trash. */
  readonly name?: string | undefined;
  /** The changedtick of the text that was saved before; missing when the chat is not open here. */
  readonly tick?: number | undefined;
}

export interface ChatMoves {
  /** Moves or renames a chat or puts it in the trash, and sends Lua its new path. Throws a sentence. */
  move(message: Moved): Promise<void>;
  /**
   * Runs work on the file of a chat when no chat is being moved, since a move writes the links in other chats. `now` is
   * where the chat is by then.
   */
  inTurn<T>(path: string, work: (now: string) => Promise<T>): Promise<T>;
  places(): Omit<MoveOptions, "follow"> & RewriteSources;
}

export function createChatMoves(options: ChatMovesOptions, index: ChatIndex): ChatMoves {
  const { lua, folders, stateFolder, open, keep, log } = options;
  const rewritten = async (path: string) => {
    await lua.call("chat_rewritten", { path });
  };
  const places = () => ({ stateFolder, chatFolders: folders(), open, rewritten, keep, log });
  let last: Promise<unknown> = Promise.resolve();
  /** The new paths of chats that were moved while others waited for their turn. */
  const moved = new Map<string, string>();

  const inTurn = async <T>(path: string, work: (now: string) => Promise<T>): Promise<T> => {
    const turn = last.then(() => {
      let now = path;
      // Each path leads on only once, so that a chat that got its first name back ends the search.
      const left = new Map(moved);
      for (let to = left.get(now); to !== undefined; to = left.get(now)) {
        left.delete(now);
        now = to;
      }
      return work(now);
    });
    // Whoever asked hears of the error; the next one comes all the same.
    const ended = turn.catch(() => {});
    last = ended;
    void ended.then(() => {
      if (last === ended) moved.clear();
    });
    return turn;
  };

  return {
    inTurn,
    places,
    move(message) {
      let begin = () => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const turn = inTurn(message.path, async (path) => {
        await begun;
        const to = await move({ ...message, path }, { ...options, places: places(), index });
        // A deleted chat is not followed into the trash.
        if (to !== null) moved.set(path, to);
      });
      return options.inOrder(message.path, () => {
        begin();
        return turn;
      });
    },
  };
}

interface MoveContext {
  readonly lua: Lua;
  readonly places: ReturnType<ChatMoves["places"]>;
  readonly index: ChatIndex;
}

/** Returns the new path; null when the chat was deleted. */
async function move(message: Moved, { lua, places, index }: MoveContext): Promise<string | null> {
  const { path, folder, name, tick } = message;
  const wanted = folder === undefined ? undefined : join(folder, basename(path));
  const to = name === undefined ? wanted : renamedPath(path, name);
  const inTheWay = to === undefined ? null : await lua.call("workspace_read", { path: to });
  if (inTheWay?.modified === true) {
    throw new Refusal(`${to} is open with text that was never saved, so nothing was moved.`);
  }
  const naming = await chatsNaming(path);
  // Until the buffer has the new name, the chat must not be answered under its old one.
  const place = await whileIdle(path, places, () => moveInEditor({ path, to, tick }, lua, places));
  const notify = (level: "info" | "warn", text: string) =>
    lua.call("notify", { level, message: visible(text) });
  if (to === undefined) {
    if (naming.length > 0) await notify("warn", deadLinksText(naming, path));
    return null;
  }
  const candidates = async () => {
    await index.refresh();
    return [...naming, ...(await index.search(basename(path), new AbortController().signal))];
  };
  const relinked = await relinkChats(candidates, { from: path, to: place }, places);
  const [level, text] = relinkedText(relinked, basename(place)) ?? [];
  if (level !== undefined && text !== undefined) await notify(level, text);
  await lua.call("chats_changed", {});
  return place;
}

/** Moves the chat, to the trash without `to`; its editor, if it is open, goes on with the new file. Returns its path. */
async function moveInEditor(
  { path, to, tick }: { path: string; to: string | undefined; tick: number | undefined },
  lua: Lua,
  places: MoveContext["places"],
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
    // The editor wrote the text that it had, with links as they were under the old name. A deleted chat is closed there.
    const sources = to === undefined ? { ...places, open: () => null } : places;
    if (isNewer) await rewriteChat(now, ({ lines }) => movedEdits(lines, path, now), sources);
  }
  return now;
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
