/**
 * Small files in the state folder, each written whole, readable by the person alone, and trusted only while that is so.
 * Each is read at once: a key waits for several, and each way to another thread and back takes longer than the reading.
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

/** Waits for a write of one of them. What it does not take holds for this process, which the person is told once. */
export type Keep = (written: Promise<void>) => Promise<void>;

/** Writes the file by a rename, so that nobody reads a half and any number of processes may do the same. */
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

/** A person's own file, behind links as they keep it; its rights stay, and a new one is theirs alone. */
export async function writeBehindLinks(path: string, text: string): Promise<void> {
  const real = (await realPath(path)) ?? path;
  const mode = await stat(real).then(
    (found) => found.mode & 0o777,
    () => null,
  );
  await writeOwn(dirname(real), basename(real), text);
  if (mode !== null) await chmod(real, mode);
}

/** The text of a file; null: it is not there. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** In a folder that is made when it is not there: it is, but for the first time. */
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

/** Names in the folder; none when it is not there, or is another's. */
export async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isNoFileOfOurs(error)) return [];
    throw error;
  }
}

/** Nothing is there, or only who made it may look: `sudo nvim` leaves folders that are root's. */
export function isNoFileOfOurs(error: unknown): boolean {
  return hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM");
}

/**
 * `gone`: dropped meanwhile by somebody, or out of reach. `foreign`: a link, a file that others could have written, or
 * one of more than `largest` bytes.
 */
export async function readOwn(
  file: string,
  largest = largestRecord,
): Promise<string | "gone" | "foreign"> {
  let opened: number;
  try {
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isNoFileOfOurs(error)) return "gone";
    if (hasCode(error, "ELOOP", "EMLINK")) return "foreign";
    throw error;
  }
  try {
    const status = fstatSync(opened);
    return isOwn(status) && status.size <= largest ? readFileSync(opened, "utf8") : "foreign";
  } finally {
    closeSync(opened);
  }
}

/** Throws where nothing that is kept in the folder is believed later: on file systems that let everybody write there. */
export function checkRights(folder: string, isBelieved = isOwn): void {
  const draft = join(folder, `${randomUUID()}.new`);
  writeDraft(draft, "");
  const status = statSync(draft);
  unlinkSync(draft);
  if (!isBelieved(status)) throw new Error("its file system lets everybody write there");
}

/** The fields of a text that `readOwn` gave; null when it is no JSON object, as `gone` and `foreign` are none. */
export function fieldsOf(text: string): JsonObject | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}

/** In bytes; what is kept is a few short texts. */
const largestRecord = 64 * 1024;
