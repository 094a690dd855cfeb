/** Replaces the bytes of a file, all of them or none, even if the program ends in the middle. */

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
 * A crash in the middle leaves the old file. Mode and owner stay. The file is written in place when it has several
 * names or an owner that cannot be restored, when it is open elsewhere or a mount point, or when its folder cannot be
 * written. Then the new bytes are kept in the folder `copies` until the write is done; Neovim offers such a copy when
 * the chat is opened next. Returns false, and writes nothing, when the file is no longer `isExpected` once all is
 * ready. Rejects with a sentence.
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  copies: string,
  isExpected: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  let copy: string | null = null;
  try {
    const { mode, uid, gid, nlink } = await stat(path);
    const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
    if (nlink === 1 && (await writeDraft(draft, bytes, { mode, uid, gid }))) {
      if (!(await isExpected())) {
        await removeFile(draft);
        return false;
      }
      const isReplaced = await replaceBy(draft, path).then(
        () => true,
        async (error: unknown) => {
          await removeFile(draft).catch(() => {});
          if (isHeld(error)) return false;
          throw error;
        },
      );
      if (isReplaced) {
        await syncFolder(dirname(path));
        return true;
      }
    }
    const file = await open(path, "r+");
    try {
      copy = await keepCopy(path, bytes, copies);
      if (!(await isExpected())) {
        await removeFile(copy);
        return false;
      }
      await writeInPlace(file, bytes);
    } finally {
      await file.close();
    }
    await removeFile(copy);
    return true;
  } catch (error) {
    const reason = reasonOf(error);
    if (copy !== null)
      throw new Error(`${path} could not be written: ${reason}; all of its text is in ${copy}`);
    throw new Error(`${path} could not be written, so it is as it was: ${reason}`);
  }
}

/** Where the bytes of a write in place are kept until it is done: `atomic_write.lua` uses and offers the same file. */
export const copyOf = (real: string, copies: string) => join(copies, sha256(real));

/** The copy left by an interrupted write of this file; null when there is none, or the write was complete. */
export async function interruptedCopy(path: string, copies: string): Promise<string | null> {
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

/** Returns false, and leaves no draft, when it cannot be made in the folder or cannot get the right owner and mode. */
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
  // A single `write` to a disk that is nearly full writes only the beginning, and reports that only as a number.
  await file.writeFile(bytes);
  await file.truncate(bytes.length);
  await file.sync();
}

/** The new name is on disk only when the folder is synced; not every system can do that. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => null);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
