/**
 * Small files in the state folder: written as a whole, readable only by the user, and trusted only while they are. They
 * are read synchronously: a key waits for several, and a trip to another thread takes longer than the reading.
 */

import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { chmod, readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isObject, type JsonObject, parseJson } from "../../shared/json.ts";
import { isOwn } from "../../system/ownership.ts";
import { makeFolderNow, removeFile, replaceBy } from "../../system/replace.ts";
import { hasCode, isMissing } from "../../system/system-error.ts";
import { realPath } from "../files/inside.ts";

/** Waits for a write of such a file. If it fails, the change holds for this process, and the user is told once. */
export type Keep = (written: Promise<void>) => Promise<void>;

/** Writes the file by a rename, so that no reader sees half of it and several processes can write at once. */
export async function writeOwn(folder: string, name: string, text: string): Promise<void> {
  const draft = join(folder, `${randomUUID()}.new`);
  try {
    writeDraft(draft, text);
    await replaceBy(draft, join(folder, name));
  } catch (error) {
    await removeFile(draft);
    throw error;
  }
}

/** Writes a file of the user's, at the target of any links. Its mode stays; a new file is readable only by the user. */
export async function writeBehindLinks(path: string, text: string): Promise<void> {
  const real = (await realPath(path)) ?? path;
  const mode = await stat(real).then(
    (found) => found.mode & 0o777,
    () => null,
  );
  await writeOwn(dirname(real), basename(real), text);
  if (mode !== null) await chmod(real, mode);
}

/** The text of a file; null when it does not exist. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Writes the draft, and creates the folder only if that fails, since it is missing only the first time. */
export function writeDraft(draft: string, text: string): void {
  const write = () => writeFileSync(draft, text, { flag: "wx", mode: 0o600 });
  try {
    write();
  } catch (error) {
    if (!isMissing(error)) throw error;
    makeFolderNow(dirname(draft), 0o700);
    write();
  }
}

/** Names in the folder; empty when it does not exist or belongs to another user. */
export async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissingOrNotOwned(error)) return [];
    throw error;
  }
}

/** Whether nothing exists there or it belongs to another user: `sudo nvim` leaves folders that belong to root. */
export function isMissingOrNotOwned(error: unknown): boolean {
  return hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM");
}

/**
 * `gone`: removed meanwhile, or not accessible. `foreign`: a link, a folder, a file that other users could have written,
 * or one of more than `largest` bytes.
 */
export async function readOwn(
  file: string,
  largest = largestRecord,
): Promise<string | "gone" | "foreign"> {
  let opened: number;
  try {
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissingOrNotOwned(error)) return "gone";
    if (hasCode(error, "ELOOP", "EMLINK")) return "foreign";
    throw error;
  }
  try {
    const status = fstatSync(opened);
    const isRecord = status.isFile() && isOwn(status) && status.size <= largest;
    return isRecord ? readFileSync(opened, "utf8") : "foreign";
  } finally {
    closeSync(opened);
  }
}

/** Throws where files kept in the folder would not be trusted later: on file systems that let everybody write there. */
export function checkRights(folder: string, isBelieved = isOwn): void {
  const draft = join(folder, `${randomUUID()}.new`);
  writeDraft(draft, "");
  const status = statSync(draft);
  unlinkSync(draft);
  if (!isBelieved(status)) throw new Error("its file system lets everybody write there");
}

/** The fields of a text from `readOwn`; null when it is not a JSON object, as with `gone` and `foreign`. */
export function fieldsOf(text: string): JsonObject | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}

/** In bytes; the records are a few short texts. */
const largestRecord = 64 * 1024;
