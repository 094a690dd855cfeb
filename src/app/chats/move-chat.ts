/** Renames a chat or moves it to the trash: its text, its files folder and what this machine keeps about it. */

import { cp, lstat, readFile, realpath, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Refusal } from "../../shared/refusal.ts";
import { makeFolder, removeFile, replaceBy } from "../../system/replace.ts";
import { hasCode, isMissing } from "../../system/system-error.ts";
import { filesFolder } from "../references/files.ts";
import type { Keep } from "../state/own-files.ts";
import { stateOfChat } from "./chat-state.ts";
import { movedBytes } from "./moved-text.ts";

export interface MoveOptions {
  readonly stateFolder: string;
  /** Folders where chats from before origins were kept count as the user's own. */
  readonly chatFolders: readonly string[];
  readonly keep: Keep;
  /**
   * Called when the chat is complete at `to`, its new path, and its old file still exists. The editor then goes on with
   * the new file. Returns whether the editor has all that the old file has, also what was written there meanwhile.
   */
  readonly follow?: ((to: string) => Promise<boolean>) | undefined;
}

/**
 * Moves the chat at `from` to `to`; both are absolute. Its links into the files folder and to other chats are updated,
 * and what this machine keeps about it moves too (`chat-state.ts`), where the state folder can be written. Throws a
 * sentence, and moves nothing, when there is no chat at `from` or already something at `to`. When another program wrote
 * the old file meanwhile, that file stays, and a sentence says so.
 */
export async function moveChat(
  from: string,
  to: string,
  { stateFolder, chatFolders, keep, follow }: MoveOptions,
): Promise<void> {
  for (const path of [to, filesFolder(to)]) {
    if (await exists(path)) throw new Refusal(`${path} already exists, so nothing was moved.`);
  }
  const before = await placeOfChat(from);
  const takeAlong = await stateOfChat({ stateFolder, from: before, named: from, chatFolders });
  await makeFolder(dirname(to));
  // The new file is complete under its new name before the old one is removed.
  const copied = await copyWithLinks(before, to);
  let isCopy: boolean;
  try {
    isCopy = await placeFolder(filesFolder(before), filesFolder(to));
  } catch (error) {
    // Otherwise the copy would be a second chat without its files, and in the way of the next try.
    await removeFile(to);
    throw error;
  }
  await takeAlong(await realpath(to), keep);
  // A renamed folder is gone from here. One of that name was made since, as by a paste, and is the only copy.
  if (isCopy) await rm(filesFolder(before), { recursive: true, force: true });
  const hasAll = (await follow?.(to)) ?? false;
  if (!hasAll && (await hasChanged(before, copied))) {
    throw new Refusal(
      `Another program wrote ${from} while it was moved. What it wrote is still there; the chat as it was before is ${to}.`,
    );
  }
  await removeFile(before);
  // A link to the old file would now lead nowhere, and writing through it would make a second chat.
  if ((await lstat(from).catch(() => null))?.isSymbolicLink()) await removeFile(from);
}

/** The real path of the chat. */
async function placeOfChat(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) throw new Refusal(`${path} is not there any more, so nothing was moved.`);
    throw error;
  }
}

/** Whether the file has other bytes, given as latin1. A missing file has nothing to lose. */
async function hasChanged(path: string, bytes: string): Promise<boolean> {
  try {
    return (await readFile(path, "latin1")) !== bytes;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Moves the chat and its files folder into the trash inside the state folder, and returns its path there. */
export async function trashChat(path: string, options: MoveOptions, now: Date): Promise<string> {
  const stamp = now.toISOString().replace(/[:.]/g, "-");
  const place = join(options.stateFolder, "trash", `${stamp} ${basename(path)}`);
  await moveChat(path, place, options);
  return place;
}

/** Works on bytes, since a chat may contain invalid UTF-8. Returns those that were copied, as latin1. */
async function copyWithLinks(from: string, to: string): Promise<string> {
  const { mode, atime, mtime } = await stat(from);
  const bytes = await readFile(from, "latin1");
  const draft = `${to}.new`;
  try {
    // Flushed to the disk, since the old file is removed next.
    const how = { encoding: "latin1", flag: "wx", mode: mode & 0o777, flush: true } as const;
    await writeFile(draft, movedBytes(bytes, from, to), how);
    // A new name does not change when the chat was last asked.
    await utimes(draft, atime, mtime);
    await replaceBy(draft, to);
  } finally {
    await removeFile(draft);
  }
  return bytes;
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
