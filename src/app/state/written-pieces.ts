/**
 * The parts of each chat that were written or allowed on this machine: hashes of header entries and references by the
 * chat's real path, folders whose chats are trusted, and when this was first recorded. Losing it means that questions
 * are asked again.
 */
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PieceKey } from "../../conversation/decide/openings.ts";
import { sha256 } from "../../shared/hash.ts";
import { makeFolder, removeFile } from "../../system/replace.ts";
import { hasCode } from "../../system/system-error.ts";
import { fieldsOf, isMissingOrNotOwned, readOwn, writeOwn } from "./own-files.ts";

/** The most pieces for one chat; the oldest are dropped. */
const pieceLimit = 1500;

const folderIn = (stateFolder: string) => join(stateFolder, "written");
const fileOf = (path: string) => `${sha256(path)}.json`;
const trustFileOf = (folder: string) => `folder-${sha256(folder)}.json`;

/** `path` is the real path. Null: nothing of the chat was written here yet. */
export async function loadPieces(
  stateFolder: string,
  path: string,
): Promise<ReadonlySet<PieceKey> | null> {
  const text = await readOwn(join(folderIn(stateFolder), fileOf(path)));
  const { pieces, file } = fieldsOf(text) ?? {};
  if (file !== path || !Array.isArray(pieces)) return null;
  return new Set(pieces.filter((piece): piece is string => typeof piece === "string"));
}

/** Adds to the pieces written before; pieces that are known already cause no write. */
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

/** The chat at the path now has exactly these pieces: what was kept before belonged to a chat that is gone. */
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

/** Treats chats directly in this folder (by its real path) as if they had been written here. */
export async function trustFolder(stateFolder: string, folder: string): Promise<void> {
  await writeOwn(folderIn(stateFolder), trustFileOf(folder), `${JSON.stringify({ folder })}\n`);
}

export async function isTrustedFolder(stateFolder: string, folder: string): Promise<boolean> {
  const text = await readOwn(join(folderIn(stateFolder), trustFileOf(folder)));
  return fieldsOf(text)?.folder === folder;
}

/**
 * When origins were first recorded on this machine, in milliseconds since 1970: chats in the chat folders that have not
 * changed since count as the user's own.
 */
export async function recordedSince(stateFolder: string): Promise<number> {
  const folder = folderIn(stateFolder);
  const file = join(folder, "since");
  await makeFolder(folder, 0o700)
    .then(() => writeFile(file, "", { flag: "wx", mode: 0o600 }))
    .catch(() => {});
  // Where nothing can be kept (a read-only home), no old chat counts as the user's own.
  return (await changedAt(file)) ?? 0;
}

/** When the file itself (its ctime, which cannot be set) last changed; null: there is no file. */
export async function changedAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).ctimeMs;
  } catch (error) {
    if (isMissingOrNotOwned(error) || hasCode(error, "ELOOP")) return null;
    throw error;
  }
}
