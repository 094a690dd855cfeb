/**
 * Hashes of the texts that this machine wrote into a chat in which something is remembered: what is remembered holds as
 * long as the file has one of them. They lie beside the records of the chat.
 */
import { join } from "node:path";
import { sha256 } from "../../shared/hash.ts";
import { readOwn, writeOwn } from "./own-files.ts";
import { recordsFolder } from "./remembered-store.ts";

/** Of one chat; the oldest are dropped. */
const textLimit = 200;

const name = "texts";

/** From here on only texts that were written here are known. */
export async function beginTexts(stateFolder: string, path: string): Promise<void> {
  if ((await readTexts(stateFolder, path)) === null) await write(stateFolder, path, []);
}

export async function keepText(stateFolder: string, path: string, text: string): Promise<void> {
  const before = (await readTexts(stateFolder, path)) ?? [];
  const hash = hashOf(text);
  if (before.at(-1) === hash) return;
  const others = before.filter((known) => known !== hash);
  await write(stateFolder, path, [...others, hash].slice(-textLimit));
}

/** Null: none were kept yet, since what is remembered is from before that. */
export async function isKnownText(
  stateFolder: string,
  path: string,
  text: string,
): Promise<boolean | null> {
  const known = await readTexts(stateFolder, path);
  return known === null ? null : known.includes(hashOf(text));
}

/** A file that others could have written knows nothing. */
async function readTexts(stateFolder: string, path: string): Promise<readonly string[] | null> {
  const text = await readOwn(join(recordsFolder(stateFolder, path), name));
  if (text === "gone") return null;
  return text === "foreign" ? [] : text.split("\n").filter((line) => line !== "");
}

async function write(stateFolder: string, path: string, hashes: readonly string[]): Promise<void> {
  const lines = hashes.map((hash) => `${hash}\n`);
  await writeOwn(recordsFolder(stateFolder, path), name, lines.join(""));
}

/** Ends of lines, one at the end of the file and a byte order mark are the editor's, not the text's. */
function hashOf(text: string): string {
  return sha256(
    text
      .replace(/^\ufeff/, "")
      .replaceAll("\r\n", "\n")
      .replace(/\n$/, ""),
  );
}
