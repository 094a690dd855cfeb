/** Replaces or removes files, even while a program has them open; detects names that are taken; makes folders. */

import { mkdirSync, type Stats, statSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isWindows, type Platform, thisPlatform } from "./platform.ts";
import { codeOf, isMissing } from "./system-error.ts";

/** Milliseconds between attempts: a scanner or an editor releases a file within a second. */
const waits = [10, 20, 40, 80, 160, 320, 320];

/** The codes of a file that cannot be replaced because it is open, on Windows; elsewhere they mean what they say. */
const busy = new Set(["EPERM", "EACCES", "EBUSY"]);

export interface FileSystem {
  readonly platform: Platform;
  rename(from: string, to: string): Promise<void>;
  /** A missing file is not a failure. */
  remove(path: string): Promise<void>;
  delay(milliseconds: number): Promise<void>;
}

const thisSystem: FileSystem = {
  platform: thisPlatform,
  rename,
  remove: (path) => rm(path, { force: true }),
  delay,
};

/** As `rename`; on Windows it retries while the file to be replaced is open. */
export function replaceBy(from: string, to: string, system = thisSystem): Promise<void> {
  return whileBusy(() => system.rename(from, to), system);
}

/** As `rm` of one file, which may be missing; on Windows it retries while the file is open. */
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

/** The error of a file that can be written but not replaced: it is a mount itself, or a program holds it. */
export function isHeld(error: unknown): boolean {
  return busy.has(codeOf(error)) || ["EXDEV", "ENOTSUP", "EOPNOTSUPP"].includes(codeOf(error));
}

/** Sets a file's mode unless it has it already: file systems without modes refuse every change. */
export async function setRights(
  file: { stat(): Promise<Pick<Stats, "mode">>; chmod(mode: number): Promise<void> },
  mode: number,
): Promise<void> {
  const rights = 0o7777;
  if (((await file.stat()).mode & rights) !== (mode & rights)) await file.chmod(mode & rights);
}

/**
 * Whether creating a file failed because its name is taken. Windows also reports that as EPERM or the like: for a file
 * that is being removed while it is open, and for one that a scanner reads.
 */
export function isTaken(error: unknown, platform: Platform = thisPlatform): boolean {
  const code = codeOf(error);
  return code === "EEXIST" || (isWindows(platform) && busy.has(code));
}

/** Whether creating a hard link failed because the file system does not support any. */
export function hasNoLinks(error: unknown, platform: Platform = thisPlatform): boolean {
  const code = codeOf(error);
  // Windows reports EISDIR on a FAT; its EPERM means taken, so the name is tried again and found free or not.
  return (
    ["ENOTSUP", "ENOSYS", "EOPNOTSUPP"].includes(code) ||
    code === (isWindows(platform) ? "EISDIR" : "EPERM")
  );
}

/**
 * Makes a folder and its missing parents; rejects with the system's error. Node's own `recursive` never ends where a
 * folder exists but the system reports it missing when something is created in it, as in /proc (seen in Node 20 and
 * 24).
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

/** The same, synchronously. */
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
