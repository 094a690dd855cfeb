/** Whose a file is: on Unix by its owner and mode; on Windows the folders of a person are theirs by their own lists. */
import { isWindows, type Platform, thisPlatform } from "./platform.ts";

/** Of `stat`. */
export interface Owned {
  readonly uid: number;
  readonly mode: number;
}

interface Reader {
  readonly platform: Platform;
  /** The person's number; Windows has none. */
  readonly uid: number | null;
}

const thisReader: Reader = { platform: thisPlatform, uid: process.getuid?.() ?? null };

/** Whether nobody but the person could have written the file. */
export function isOwn({ uid, mode }: Owned, reader: Reader = thisReader): boolean {
  if (isWindows(reader.platform) || reader.uid === null) return true;
  return uid === reader.uid && (mode & 0o022) === 0;
}
