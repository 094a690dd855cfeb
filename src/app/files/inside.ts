/** Whether a file lies where a person works, behind all links: outside of that, reading it needs a yes. */

import { realpath } from "node:fs/promises";
import { isBelow } from "../../system/paths.ts";
import { codeOf } from "../../system/system-error.ts";

/** `path` is a real one (`realPath`); `home` is the person's home folder. */
export async function isInside(
  path: string,
  folders: readonly string[],
  home: string,
): Promise<boolean> {
  const narrow = folders.filter((folder) => !isAbove(folder, home));
  const inside = await Promise.all(narrow.map((folder) => contains(folder, path)));
  return inside.includes(true);
}

/** A home folder, or what holds it, holds everything a person has: being in it says nothing of a file. */
export function isAbove(folder: string, home: string): boolean {
  return isBelow(folder, home);
}

/** Whether the real path is the folder or lies below it. */
export async function contains(folder: string, path: string): Promise<boolean> {
  return isBelow((await realPath(folder)) ?? folder, path);
}

/** Behind any links. Null when there is nothing at the path, or nothing that may be looked at. */
export async function realPath(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isNothing(error)) return null;
    throw error;
  }
}

/** Whether a look at a path failed because nothing is there, can be there, or may be looked at. */
export function isNothing(error: unknown): boolean {
  const codes = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"];
  return codes.includes(codeOf(error));
}
