import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Puts other bytes in the place of a file, all of them or none: a crash in the middle leaves the old file. Mode and,
 * where the system lets us, owner stay. Rejects with a sentence, the old file in place.
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const { mode, uid, gid } = await stat(path);
    const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
    let file: FileHandle | null = null;
    try {
      file = await open(temporary, "wx", 0o600);
      await file.writeFile(bytes);
      // Of somebody else's file, only an administrator can make another one that is theirs.
      await file.chown(uid, gid).catch(() => {});
      await file.chmod(mode & 0o7777);
      await file.sync();
      await file.close();
      file = null;
      await rename(temporary, path);
    } catch (error) {
      await file?.close();
      await unlink(temporary).catch(() => {});
      throw error;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${path} could not be written, so it is as it was (${reason})`);
  }
}
