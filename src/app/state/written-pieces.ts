/**
 * What of each chat was written or agreed to on this machine: hashes of header entries and references by the chat's
 * real path, folders whose chats are trusted, and when this was first kept. Its loss costs questions that were
 * answered before.
 */
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PieceKey } from "../../conversation/decide/openings.ts";
import { sha256 } from "../../shared/hash.ts";
import { makeFolder, removeFile } from "../../system/replace.ts";
import { fieldsOf, isNoFileOfOurs, readOwn, writeOwn } from "./own-files.ts";

/** Of one chat; the oldest are dropped. */
const pieceLimit = 1500;

const folderIn = (stateFolder: string) => join(stateFolder, "written");
const fileOf = (path: string) => `${sha256(path)}.json`;
const trustFileOf = (folder: string) => `folder-${sha256(folder)}.json`;

/** `path` is the real one. Null: nothing of it was written here yet. */
export async function loadPieces(
  stateFolder: string,
  path: string,
): Promise<ReadonlySet<PieceKey> | null> {
  const text = await readOwn(join(folderIn(stateFolder), fileOf(path)));
  const { pieces, file } = fieldsOf(text) ?? {};
  if (file !== path || !Array.isArray(pieces)) return null;
  return new Set(pieces.filter((piece): piece is string => typeof piece === "string"));
}

/** Adds to what was written before; the same pieces again write nothing. */
export async function keepPieces(
  stateFolder: string,
  path: string,
  pieces: Iterable<PieceKey>,
): Promise<void> {
  const before = await loadPieces(stateFolder, path);
  const added = [...pieces].filter((piece) => !before?.has(piece));
  if (before !== null && added.length === 0) return;
  const all = [...(before ?? []), ...added].slice(-pieceLimit);
  const record = { file: path, pieces: all };
  await writeOwn(folderIn(stateFolder), fileOf(path), `${JSON.stringify(record)}\n`);
}

/** These and no others are of the chat at the path: whatever was kept of it is of a chat that is gone. */
export async function replacePieces(
  stateFolder: string,
  path: string,
  pieces: readonly PieceKey[],
): Promise<void> {
  await dropPieces(stateFolder, path);
  await keepPieces(stateFolder, path, pieces);
}

export async function dropPieces(stateFolder: string, path: string): Promise<void> {
  await removeFile(join(folderIn(stateFolder), fileOf(path)));
}

/** Chats of this folder (by its real path), not of those below it, are as if they had been written here. */
export async function trustFolder(stateFolder: string, folder: string): Promise<void> {
  await writeOwn(folderIn(stateFolder), trustFileOf(folder), `${JSON.stringify({ folder })}\n`);
}

export async function isTrustedFolder(stateFolder: string, folder: string): Promise<boolean> {
  const text = await readOwn(join(folderIn(stateFolder), trustFileOf(folder)));
  return fieldsOf(text)?.folder === folder;
}

/**
 * When origins were first kept on this machine, in milliseconds since the epoch: chats in the chat folders that have
 * not changed since are the person's own.
 */
export async function keptSince(stateFolder: string): Promise<number> {
  const folder = folderIn(stateFolder);
  const file = join(folder, "since");
  await makeFolder(folder, 0o700)
    .then(() => writeFile(file, "", { flag: "wx", mode: 0o600 }))
    .catch(() => {});
  // Where nothing can be kept (a read-only home), nothing is adopted.
  return (await changedAt(file)) ?? 0;
}

/** When the file itself, not what is told of it, changed last; null: there is none. */
export async function changedAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).ctimeMs;
  } catch (error) {
    if (isNoFileOfOurs(error)) return null;
    throw error;
  }
}
