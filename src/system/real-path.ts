/**
 * The real path of a file, with links resolved, synchronously: what a key waits for needs this several times, and a
 * round trip to another thread takes ten times as long as the call.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Null when the file does not exist, or may not be accessed. */
export function realPathNow(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** For a file that may not exist yet; null when its folder does not exist. */
export function realPathToBe(path: string): string | null {
  const real = realPathNow(path);
  if (real !== null) return real;
  const folder = realPathNow(dirname(path));
  return folder === null ? null : join(folder, basename(path));
}
