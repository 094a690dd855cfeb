/** Reads the text of a chat's file, whoever wrote it. */
import { readRegularText } from "../../system/regular-file.ts";

/** Bytes; a larger file is listed by its name and date only, and its links are not followed. */
export const largestChat = 20_000_000;

/** Null when there is no such file, it is too large, or it may not be read. */
export async function readChat(path: string): Promise<string | null> {
  try {
    return await readRegularText(path, largestChat);
  } catch {
    return null;
  }
}
