/** Who owns a file: on Unix by its owner and mode; on Windows the access lists already protect a user's folders. */
import { isWindows, type Platform, thisPlatform } from "./platform.ts";

/** The used part of `stat`. */
export interface Owned {
  readonly uid: number;
  readonly mode: number;
}

interface Reader {
  readonly platform: Platform;
  /** The user's id; null on Windows, which has none. */
  readonly uid: number | null;
}

const thisReader: Reader = { platform: thisPlatform, uid: process.getuid?.() ?? null };

/** Whether only the user can have written the file. */
export function isOwn({ uid, mode }: Owned, reader: Reader = thisReader): boolean {
  if (isWindows(reader.platform) || reader.uid === null) return true;
  return uid === reader.uid && (mode & 0o022) === 0;
}
