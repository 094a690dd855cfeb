/** Puts other bytes in the place of a file, all of them or none, whatever ends the program in the middle. */

import { randomBytes } from "node:crypto";
import { type FileHandle, open, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../shared/hash.ts";
import { isHeld, makeFolder, removeFile, replaceBy, setRights } from "../../system/replace.ts";
import { reasonOf } from "./reason-of.ts";

interface Owner {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * A crash in the middle leaves the old file. Mode and owner stay. A file with several names, of an owner that we cannot
 * give it again, that is held or mounted itself, or in a folder that cannot be written is written in place, with the new
 * bytes kept in the folder `copies` until that is done; Neovim offers such a copy when the chat is opened next. Rejects
 * with a sentence.
 */
export async function replaceFile(path: string, bytes: Uint8Array, copies: string): Promise<void> {
  let copy: string | null = null;
  try {
    const { mode, uid, gid, nlink } = await stat(path);
    const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
    if (nlink === 1 && (await writeDraft(draft, bytes, { mode, uid, gid }))) {
      const isReplaced = await replaceBy(draft, path).then(
        () => true,
        async (error: unknown) => {
          await removeFile(draft).catch(() => {});
          if (isHeld(error)) return false;
          throw error;
        },
      );
      if (isReplaced) return await syncFolder(dirname(path));
    }
    const file = await open(path, "r+");
    try {
      copy = await keepCopy(path, bytes, copies);
      await writeInPlace(file, bytes);
    } finally {
      await file.close();
    }
    await removeFile(copy);
  } catch (error) {
    const reason = reasonOf(error);
    if (copy !== null)
      throw new Error(`${path} could not be written: ${reason}; all of its text is in ${copy}`);
    throw new Error(`${path} could not be written, so it is as it was: ${reason}`);
  }
}

/** Where the bytes of a write in place are until it is done: the same file that `atomic_write.lua` uses and offers. */
export const copyOf = (real: string, copies: string) => join(copies, sha256(real));

/** The copy that a write of this file left when it was broken off; null when there is none, or it was done after all. */
export async function brokenOff(path: string, copies: string): Promise<string | null> {
  const copy = copyOf(await realpath(path), copies);
  const kept = await readFile(copy).catch(() => null);
  if (kept === null) return null;
  if (!kept.equals(await readFile(path))) return copy;
  await removeFile(copy);
  return null;
}

async function keepCopy(path: string, bytes: Uint8Array, copies: string): Promise<string> {
  await makeFolder(copies, 0o700);
  const copy = copyOf(path, copies);
  const draft = `${copy}.${randomBytes(6).toString("hex")}`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await replaceBy(draft, copy);
  return copy;
}

/** False, and nothing is left of it, when the folder takes no file, or the draft not the owner or rights it should have. */
async function writeDraft(path: string, bytes: Uint8Array, owner: Owner): Promise<boolean> {
  const file = await open(path, "wx", 0o600).catch(() => null);
  if (file === null) return false;
  let isWritten = false;
  try {
    const { uid, gid } = await file.stat();
    const isOwned =
      (uid === owner.uid && gid === owner.gid) ||
      (await file.chown(owner.uid, owner.gid).then(
        () => true,
        () => false,
      ));
    if (isOwned) {
      await file.writeFile(bytes);
      isWritten = await setRights(file, owner.mode).then(
        () => true,
        (error: unknown) => {
          if (isHeld(error)) return false;
          throw error;
        },
      );
      if (isWritten) await file.sync();
    }
    return isWritten;
  } finally {
    await file.close();
    if (!isWritten) await removeFile(path).catch(() => {});
  }
}

async function writeInPlace(file: FileHandle, bytes: Uint8Array): Promise<void> {
  // Of one `write` a disk that is nearly full takes the beginning, and says so in a number alone.
  await file.writeFile(bytes);
  await file.truncate(bytes.length);
  await file.sync();
}

/** The new name is on the disk only when its folder is; not every system can do that. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => null);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
