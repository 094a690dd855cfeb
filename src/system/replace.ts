/** Putting a file in the place of another or taking it away, also while somebody has it open; and names that are taken. */

import type { Stats } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isWindows, type Platform, thisPlatform } from "./platform.ts";
import { codeOf } from "./system-error.ts";

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
