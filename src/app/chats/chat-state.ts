/**
 * Everything that this machine keeps under a chat's path, one row each: where it is kept, and how it moves when the
 * chat gets another path. Code that keeps something new under a chat's path needs a row here.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../shared/hash.ts";
import { makeFolder, removeFile, replaceBy } from "../../system/replace.ts";
import { isMissing } from "../../system/system-error.ts";
import { parseTranscript } from "../../transcript/parse.ts";
import { copyOf } from "../files/replace-file.ts";
import { filesOf, type Keep, readOwn, writeOwn } from "../state/own-files.ts";
import { addRecords, loadRecords, recordsFolder } from "../state/remembered-store.ts";
import { isKnownText, keepText } from "../state/remembered-texts.ts";
import { dropPieces, replacePieces } from "../state/written-pieces.ts";
import { recordMoved } from "../usage/ledger.ts";
import { movedEdits } from "./moved-text.ts";
import { keptPieces, ownPieces } from "./own-pieces.ts";

/** A chat at its old path, where its file still is. */
export interface KnownChat {
  readonly stateFolder: string;
  /** Absolute and real. */
  readonly from: string;
  /** The path that the chat was opened by, where it differs. */
  readonly named: string;
  readonly chatFolders: readonly string[];
}

/** Called before the move. The function that it returns is called when the chat is at its new (real) path. */
type Row = (chat: KnownChat) => Promise<(to: string) => Promise<void>>;

const rows: readonly Row[] = [
  moveRemembered,
  movePieces,
  moveUsage,
  moveLastAsked,
  moveBrokenOff,
  moveAttached,
];

type TakeAlong = (to: string, keep: Keep) => Promise<void>;

/** Returns a function that moves all of it to the new path, which must be real. A row that fails stops no other row. */
export async function stateOfChat(chat: KnownChat): Promise<TakeAlong> {
  const moves: ((to: string) => Promise<void>)[] = [];
  for (const row of rows) moves.push(await row(chat));
  return async (to, keep) => {
    for (const move of moves) await keep(move(to));
  };
}

/** `remembered/`: if another program changed the chat, its tools are asked about again under the new path too. */
async function moveRemembered({ stateFolder, from }: KnownChat) {
  const { records } = await loadRecords(stateFolder, from);
  const isOwn = await isKnownText(stateFolder, from, await readFile(from, "utf8"));
  return async (to: string) => {
    // Drops what was remembered for another chat that had this path before.
    await rm(recordsFolder(stateFolder, to), { recursive: true, force: true });
    if (isOwn !== false && records.length > 0) {
      await keepText(stateFolder, to, await readFile(to, "utf8"));
      const moved = records.map((record) => ({ ...record, transcriptPath: to }));
      await addRecords(stateFolder, moved);
    }
    await rm(recordsFolder(stateFolder, from), { recursive: true, force: true });
  };
}

/** `written/`: text that was the user's own stays so. */
async function movePieces({ stateFolder, from, chatFolders }: KnownChat) {
  const own = await ownPieces(stateFolder, from, chatFolders);
  const text = parseTranscript(await readFile(from, "utf8"));
  return async (to: string) => {
    await replacePieces(stateFolder, to, keptPieces(own, text, movedEdits(text.lines, from, to)));
    await dropPieces(stateFolder, from);
  };
}

/** `usage/`: what the chat cost is reported under its new path. */
async function moveUsage({ stateFolder, from, named }: KnownChat) {
  return async (to: string) => {
    for (const path of new Set([from, named])) await recordMoved(stateFolder, path, to);
  };
}

/** `last-chats/`: the last chat asked from each working folder. The Lua half writes these files. */
async function moveLastAsked({ stateFolder, from, named }: KnownChat) {
  return async (to: string) => {
    const folder = join(stateFolder, "last-chats");
    for (const name of await filesOf(folder)) {
      const text = await readOwn(join(folder, name));
      if ([from, named].includes(text.replace(/\n$/, ""))) await writeOwn(folder, name, `${to}\n`);
    }
  };
}

/** `saving/`: the text of an interrupted save, offered when the chat is opened. */
async function moveBrokenOff({ stateFolder, from }: KnownChat) {
  return async (to: string) => {
    const folder = join(stateFolder, "saving");
    try {
      await makeFolder(folder, 0o700);
      await replaceBy(copyOf(from, folder), copyOf(to, folder));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  };
}

/** `attached/`: that the file is a chat outside of the chat folders. The Lua half writes these files. */
async function moveAttached({ stateFolder, from }: KnownChat) {
  return async (to: string) => {
    const folder = join(stateFolder, "attached");
    const noteOf = (path: string) => `${sha256(path)}.txt`;
    const text = await readOwn(join(folder, noteOf(from)));
    const [what = ""] = text.split("\n", 1);
    if (what === "file" || what === "told") await writeOwn(folder, noteOf(to), `${what}\n${to}\n`);
    await removeFile(join(folder, noteOf(from)));
  };
}
