/**
 * Putting a file in the place of another or taking it away, also while somebody has it open; names that are taken; and
 * folders.
 */

import { mkdirSync, type Stats, statSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isWindows, type Platform, thisPlatform } from "./platform.ts";
import { codeOf, isMissing } from "./system-error.ts";

/** Milliseconds between tries: a scanner or an editor lets go of a file within a second. */
const waits = [10, 20, 40, 80, 160, 320, 320];

/** Where a file that is open cannot be replaced, these say so; elsewhere they mean what they say. */
const busy = new Set(["EPERM", "EACCES", "EBUSY"]);

export interface FileSystem {
  readonly platform: Platform;
  rename(from: string, to: string): Promise<void>;
  /** Nothing there is no failure. */
  remove(path: string): Promise<void>;
  delay(milliseconds: number): Promise<void>;
}

const thisSystem: FileSystem = {
  platform: thisPlatform,
  rename,
  remove: (path) => rm(path, { force: true }),
  delay,
};

/** As `rename`; on Windows it is tried again while the file in its place is open. */
export function replaceBy(from: string, to: string, system = thisSystem): Promise<void> {
  return whileBusy(() => system.rename(from, to), system);
}

/** As `rm` of one file, which may be gone; on Windows it is tried again while the file is open. */
export function removeFile(path: string, system = thisSystem): Promise<void> {
  return whileBusy(() => system.remove(path), system);
}

async function whileBusy(work: () => Promise<void>, system: FileSystem): Promise<void> {
  for (const milliseconds of isWindows(system.platform) ? waits : []) {
    try {
      return await work();
    } catch (error) {
      if (!busy.has(codeOf(error))) throw error;
      await system.delay(milliseconds);
    }
  }
  await work();
}

/** What a file says that no other can take the place of and that can be written: mounted itself, or held by a program. */
export function isHeld(error: unknown): boolean {
  return busy.has(codeOf(error)) || ["EXDEV", "ENOTSUP", "EOPNOTSUPP"].includes(codeOf(error));
}

/** Gives a file these rights, where it does not have them: file systems without rights refuse every change. */
export async function setRights(
  file: { stat(): Promise<Pick<Stats, "mode">>; chmod(mode: number): Promise<void> },
  mode: number,
): Promise<void> {
  const rights = 0o7777;
  if (((await file.stat()).mode & rights) !== (mode & rights)) await file.chmod(mode & rights);
}

/**
 * Whether the making of a new file failed because its name is taken. Windows also says so with EPERM or the like: of a
 * file that somebody removes and another has open, and of one whose bytes a scanner reads.
 */
export function isTaken(error: unknown, platform: Platform = thisPlatform): boolean {
  const code = codeOf(error);
  return code === "EEXIST" || (isWindows(platform) && busy.has(code));
}

/** Whether a second name for a file failed because the file system has none. */
export function hasNoLinks(error: unknown, platform: Platform = thisPlatform): boolean {
  const code = codeOf(error);
  // Windows says EISDIR of a FAT; its EPERM means taken, so that the name is tried again and found free or not.
  return (
    ["ENOTSUP", "ENOSYS", "EOPNOTSUPP"].includes(code) ||
    code === (isWindows(platform) ? "EISDIR" : "EPERM")
  );
}

/**
 * Makes a folder, and those above it that are not there; rejects with the system's error. Node's own `recursive` never
 * ends where a folder is there and the system says it is not when something is to be made in it, as in /proc (seen in
 * Node 20 and 24).
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    if (isFolder(path)) return;
    if (!isMissing(error) || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await mkdir(path, mode).catch((again: unknown) => {
      // Another process may have made it meanwhile.
      if (!isFolder(path)) throw again;
    });
  }
}

/** The same at once. */
export function makeFolderNow(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (isFolder(path)) return;
    if (!isMissing(error) || dirname(path) === path) throw error;
    makeFolderNow(dirname(path), mode);
    try {
      mkdirSync(path, mode);
    } catch (again) {
      if (!isFolder(path)) throw again;
    }
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
