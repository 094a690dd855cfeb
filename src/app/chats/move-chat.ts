/** Renames a chat or moves it to the trash: its text, its files folder and what this machine keeps about it. */

import { cp, lstat, readFile, realpath, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Refusal } from "../../shared/refusal.ts";
import { makeFolder, removeFile, replaceBy } from "../../system/replace.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import { hasCode, isMissing } from "../../system/system-error.ts";
import { filesFolder, linkInFilesFolder } from "../references/files.ts";
import type { Keep } from "../state/own-files.ts";
import { stateOfChat } from "./chat-state.ts";
import { linkTarget, linkTo, relinkedLine } from "./links.ts";

export interface MoveOptions {
  readonly stateFolder: string;
  /** Folders where chats from before origins were kept count as the user's own. */
  readonly chatFolders: readonly string[];
  readonly keep: Keep;
}

/**
 * Moves the chat at `from` to `to`; both are absolute. Its links into the files folder and to other chats are updated,
 * and what this machine keeps about it moves too (`chat-state.ts`), where the state folder can be written. Throws a
 * sentence, and moves nothing, when there is already something at `to`.
 */
export async function moveChat(
  from: string,
  to: string,
  { stateFolder, chatFolders, keep }: MoveOptions,
): Promise<void> {
  for (const path of [to, filesFolder(to)]) {
    if (await exists(path)) throw new Refusal(`${path} already exists, so nothing was moved.`);
  }
  const before = await realpath(from);
  const takeAlong = await stateOfChat({ stateFolder, from: before, named: from, chatFolders });
  await makeFolder(dirname(to));
  // The new file is complete under its new name before the old one is removed.
  await copyWithLinks(before, to);
  let isCopy: boolean;
  try {
    isCopy = await placeFolder(filesFolder(before), filesFolder(to));
  } catch (error) {
    // Otherwise the copy would be a second chat without its files, and in the way of the next try.
    await removeFile(to);
    throw error;
  }
  await takeAlong(await realpath(to), keep);
  await removeFile(before);
  // A link to the old file would now lead nowhere, and writing through it would make a second chat.
  if ((await lstat(from).catch(() => null))?.isSymbolicLink()) await removeFile(from);
  // A renamed folder is gone from here. One of that name was made since, as by a paste, and is the only copy.
  if (isCopy) await rm(filesFolder(before), { recursive: true, force: true });
}

/** Moves the chat and its files folder into the trash inside the state folder, and returns its path there. */
export async function trashChat(path: string, options: MoveOptions, now: Date): Promise<string> {
  const stamp = now.toISOString().replace(/[:.]/g, "-");
  const place = join(options.stateFolder, "trash", `${stamp} ${basename(path)}`);
  await moveChat(path, place, options);
  return place;
}

/** `](old.md.files/…` becomes `](new.md.files/…`, on bytes, since a chat may contain invalid UTF-8. */
async function copyWithLinks(from: string, to: string): Promise<void> {
  const bytes = (path: string) => latin1(`](${linkInFilesFolder(path, "")}`);
  const { mode, atime, mtime } = await stat(from);
  const text = await readFile(from, "latin1");
  const draft = `${to}.new`;
  try {
    const moved = relinked(text.replaceAll(bytes(from), bytes(to)), from, to);
    // Flushed to the disk, since the old file is removed next.
    const how = { encoding: "latin1", flag: "wx", mode: mode & 0o777, flush: true } as const;
    await writeFile(draft, moved, how);
    // A new name does not change when the chat was last asked.
    await utimes(draft, atime, mtime);
    await replaceBy(draft, to);
  } finally {
    await removeFile(draft);
  }
}

const latin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");
const branchSign = latin1("🌿");

/** Rewrites links to other chats, which are relative to the folder of the chat. */
function relinked(bytes: string, from: string, to: string): string {
  if (dirname(from) === dirname(to) || !bytes.includes(branchSign)) return bytes;
  const renew = (target: string) => {
    const path = linkTarget(from, { target }, homeFolder());
    return linkTo(to, path === from ? to : path, target);
  };
  return bytes
    .split("\n")
    .map((line) => {
      if (!line.includes(branchSign)) return line;
      const text = Buffer.from(line, "latin1").toString("utf8");
      // Invalid UTF-8 would come back as other bytes, so such a line stays.
      return latin1(text) === line ? latin1(relinkedLine(text, renew)) : line;
    })
    .join("\n");
}

/**
 * Moves all of the folder or, on an error, none of it. Returns true when it had to be copied, to another file system,
 * instead of renamed. A missing folder is not an error.
 */
async function placeFolder(from: string, to: string): Promise<boolean> {
  try {
    await replaceBy(from, to);
    return false;
  } catch (error) {
    if (isMissing(error)) return false;
    if (!hasCode(error, "EXDEV")) throw error;
    const draft = `${to}.new`;
    try {
      await cp(from, draft, { recursive: true, errorOnExist: true, verbatimSymlinks: true });
      await replaceBy(draft, to);
      return true;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
