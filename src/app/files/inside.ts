/** Whether a file, with links resolved, lies in the folders that the user works in; reading outside needs approval. */

import { realpath } from "node:fs/promises";
import { isBelow } from "../../system/paths.ts";
import { codeOf } from "../../system/system-error.ts";

/** `path` is a real path (`realPath`); `home` is the user's home folder. */
export async function isInside(
  path: string,
  folders: readonly string[],
  home: string,
): Promise<boolean> {
  const narrow = folders.filter((folder) => !isAbove(folder, home));
  const inside = await Promise.all(narrow.map((folder) => contains(folder, path)));
  return inside.includes(true);
}

/** A home folder, or a folder above it, contains everything the user has, so being in it tells nothing about a file. */
export function isAbove(folder: string, home: string): boolean {
  return isBelow(folder, home);
}

/** Whether the real path is the folder or lies below it. */
export async function contains(folder: string, path: string): Promise<boolean> {
  return isBelow((await realPath(folder)) ?? folder, path);
}

/** The path with links resolved. Null when nothing exists there, or it may not be looked at. */
export async function realPath(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isUnreachable(error)) return null;
    throw error;
  }
}

/** Whether looking at a path failed because nothing exists or can exist there, or it may not be looked at. */
export function isUnreachable(error: unknown): boolean {
  const codes = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"];
  return codes.includes(codeOf(error));
}
