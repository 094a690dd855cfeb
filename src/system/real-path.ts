/**
 * Where a file really lies, links resolved, at once: what a key waits for asks this several times, and each way to
 * another thread and back takes ten times as long as the call.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Null when it is not there, or may not be looked at. */
export function realPathNow(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** Of a file that may be about to be made; null when its folder is not there. */
export function realPathToBe(path: string): string | null {
  const real = realPathNow(path);
  if (real !== null) return real;
  const folder = realPathNow(dirname(path));
  return folder === null ? null : join(folder, basename(path));
}
