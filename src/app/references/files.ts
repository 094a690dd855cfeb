/**
 * The folder next to a transcript for what is not text in it: copies of referenced files, media and full texts of
 * results. Names come from the transcript, which may come from anyone, so a name is never more than a plain file name
 * in this folder, and links are not followed (format, sections 5 and 10).
 */

import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LoadedFile } from "../../conversation/request/needed-files.ts";
import { counted, sizeText } from "../../shared/counted.ts";
import { readRegularFile } from "../../system/regular-file.ts";
import { makeFolder, removeFile, replaceBy } from "../../system/replace.ts";
import { isMissing } from "../../system/system-error.ts";
import { isPlainFileName } from "../../transcript/result-block.ts";
import { largestFile, readContent } from "../files/file-content.ts";
import { reasonOf } from "../files/reason-of.ts";

export function filesFolder(transcriptPath: string): string {
  return `${transcriptPath}.files`;
}

/** The name of these bytes in a files folder. An `extension` other than lower-case letters and digits becomes `bin`. */
export function copyFileName(bytes: Uint8Array, extension: string): string {
  return `${createHash("sha256").update(bytes).digest("hex")}.${safeExtension(extension)}`;
}

/**
 * Saves bytes under their hash (`copyFileName`) and returns the plain name. The same bytes are saved once. Throws a
 * sentence when the folder is a link, else the file system's error.
 */
export async function saveInFilesFolder(
  transcriptPath: string,
  bytes: Uint8Array,
  extension: string,
): Promise<string> {
  const name = copyFileName(bytes, extension);
  await writeInFilesFolder(transcriptPath, name, bytes);
  return name;
}

async function writeInFilesFolder(
  transcriptPath: string,
  name: string,
  bytes: Uint8Array,
): Promise<void> {
  const folder = filesFolder(transcriptPath);
  await makeFolder(folder, 0o700);
  if (!(await isRealFolder(folder))) {
    throw new Error(`${folder} is a link, not a folder; remove it, and Parley creates its own.`);
  }
  const path = join(folder, name);
  const draft = join(folder, `.${randomBytes(6).toString("hex")}`);
  try {
    // The folder may come from a repository and be readable by everybody.
    await writeFile(draft, bytes, { flag: "wx", mode: 0o600 });
    // A link at this name is replaced, not followed.
    await replaceBy(draft, path);
  } finally {
    await removeFile(draft);
  }
}

/** In bytes; the largest files kept are full texts of results. */
const largestKept = 256 * 1024 * 1024;

/** Copies those of one chat's files that exist and are not links. Throws the file system's error. */
export async function copyToFilesFolder(
  from: string,
  to: string,
  names: Iterable<string>,
): Promise<void> {
  const folder = filesFolder(from);
  if (!(await isRealFolder(folder))) return;
  for (const name of names) {
    const bytes = await readUnlinked(join(folder, name), largestKept).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (bytes instanceof Uint8Array) await writeInFilesFolder(to, name, bytes);
  }
}

export interface LoadedFiles {
  readonly files: ReadonlyMap<string, LoadedFile>;
  /** Sentences about files that exist but cannot be used; a missing file has none. */
  readonly notices: readonly string[];
}

/** In characters, and for images of base64: more than a request may have, in what a chat names and anyone may have made. */
const largestLoaded = 128_000_000;

/** Loads files by their plain names, the last ones first. Never throws; what cannot be loaded is left out. */
export async function loadFiles(
  transcriptPath: string,
  names: readonly string[],
): Promise<LoadedFiles> {
  const folder = filesFolder(transcriptPath);
  const files = new Map<string, LoadedFile>();
  const notices: string[] = [];
  if (names.length === 0) return { files, notices };
  const isFolder = await isRealFolder(folder);
  let left = largestLoaded;
  for (const [index, name] of names.toReversed().entries()) {
    const content = isFolder ? await loadFile(folder, name) : null;
    if (content === null) continue;
    if (typeof content === "string") {
      notices.push(`${join(folder, name)} ${content}.`);
      continue;
    }
    left -= content.kind === "text" ? content.text.length : content.data.length;
    if (left < 0) {
      const rest = counted(names.length - index, "older file is", "older files are");
      notices.push(
        `The files of this chat have more than ${sizeText(largestLoaded)}, so ${rest} left out.`,
      );
      break;
    }
    files.set(name, content);
  }
  return { files, notices };
}

/** Null when it does not exist; a sentence part when it cannot be used. */
async function loadFile(folder: string, name: string): Promise<LoadedFile | string | null> {
  if (!isPlainFileName(name)) return "is not a plain file name, so it was not read";
  try {
    const found = await readUnlinked(join(folder, name), largestFile);
    return typeof found === "string" ? unreadWords[found] : readContent(found);
  } catch (error) {
    if (isMissing(error)) return null;
    return `could not be read: ${reasonOf(error)}`;
  }
}

/** The content of a files folder may come from anyone, so links are not followed. Throws the file system's error. */
async function readUnlinked(path: string, largest: number) {
  // For systems without O_NOFOLLOW.
  if ((await lstat(path)).isSymbolicLink()) return "link";
  return readRegularFile(path, { largest, flags: constants.O_NOFOLLOW ?? 0 });
}

const unreadWords = {
  link: "is a link, so it was not followed",
  folder: "is a folder; name the files in it one by one",
  special: "is not a regular file",
  large: `is larger than the ${sizeText(largestFile)} that are read`,
};

/**
 * The bytes of a regular file of at most `largestFile`, else a sentence part that says why not. Does not wait for pipes
 * and devices. Throws the file system's error.
 */
export async function readReferencedFile(path: string): Promise<Uint8Array | string> {
  const found = await readRegularFile(path, { largest: largestFile });
  return typeof found === "string" ? unreadWords[found] : found;
}

async function isRealFolder(folder: string): Promise<boolean> {
  try {
    return (await lstat(folder)).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function safeExtension(extension: string): string {
  return /^[a-z0-9]{1,10}$/.test(extension) ? extension : "bin";
}
