/**
 * Hashes of the texts that this machine wrote into a chat with remembered tools. These stay remembered as long as the
 * file holds one of the texts. The hashes are kept with the records of the chat.
 */
import { join } from "node:path";
import { sha256 } from "../../shared/hash.ts";
import { readOwn, writeOwn } from "./own-files.ts";
import { recordsFolder } from "./remembered-store.ts";

/** The most hashes for one chat; the oldest are dropped. */
const textLimit = 200;

const name = "texts";

/** From now on, only texts that were written here are known. */
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

/** Null: no hashes were kept yet, because what is remembered is older than this check. */
export async function isKnownText(
  stateFolder: string,
  path: string,
  text: string,
): Promise<boolean | null> {
  const known = await readTexts(stateFolder, path);
  return known === null ? null : known.includes(hashOf(text));
}

/** A file that other users could have written counts as empty. */
async function readTexts(stateFolder: string, path: string): Promise<readonly string[] | null> {
  const text = await readOwn(join(recordsFolder(stateFolder, path), name));
  if (text === "gone") return null;
  return text === "foreign" ? [] : text.split("\n").filter((line) => line !== "");
}

async function write(stateFolder: string, path: string, hashes: readonly string[]): Promise<void> {
  const lines = hashes.map((hash) => `${hash}\n`);
  await writeOwn(recordsFolder(stateFolder, path), name, lines.join(""));
}

/** Line ends, a final line end and a byte order mark are the editor's and not part of the text. */
function hashOf(text: string): string {
  return sha256(
    text
      .replace(/^\ufeff/, "")
      .replaceAll("\r\n", "\n")
      .replace(/\n$/, ""),
  );
}
