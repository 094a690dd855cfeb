/** The secret of this machine's state folder: provider state made elsewhere does not match it (format, section 7). */

import { randomBytes } from "node:crypto";
import { link, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasNoLinks, isTaken, makeFolder, removeFile, replaceBy } from "../../system/replace.ts";
import { isMissingOrNotOwned, readIfThere } from "./own-files.ts";

const secretPattern = /^[0-9a-f]{64}$/;

/** The secret, as one process uses it. */
export interface LocalSecret {
  /** Made if there is none yet; never rejects. */
  own(): Promise<string>;
  /** Null when none was made yet; makes none. */
  find(): Promise<string | null>;
}

export function createSecret(stateFolder: string): LocalSecret {
  let known: Promise<string> | null = null;
  return {
    own() {
      // If the secret cannot be kept, loops of calls in this process still go on with their provider state.
      known ??= localSecret(stateFolder).catch(newSecret);
      return known;
    },
    find: () => known ?? findSecret(stateFolder),
  };
}

const newSecret = () => randomBytes(32).toString("hex");

/** The secret, or null when there is none yet; then no state in any transcript was made here. */
async function findSecret(stateFolder: string): Promise<string | null> {
  const found = await readFrom(join(stateFolder, "secret"));
  return found !== null && secretPattern.test(found) ? found : null;
}

/**
 * The secret, made if there is none yet: 64 hexadecimal digits. Two processes that ask at once get the same one. Throws
 * the file system's error when the folder cannot be written.
 */
export async function localSecret(stateFolder: string): Promise<string> {
  const path = join(stateFolder, "secret");
  const found = await readFrom(path);
  if (found !== null && secretPattern.test(found)) return found;
  await makeFolder(stateFolder, 0o700);
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  const secret = newSecret();
  try {
    await writeFile(draft, `${secret}\n`, { flag: "wx", mode: 0o600 });
    // A damaged secret is replaced: steps sealed with it are sent without their state, and nothing else is lost.
    if (found === null) await putFirst(draft, path);
    else await replaceBy(draft, path);
  } finally {
    await removeFile(draft);
  }
  return (await readFrom(path)) ?? secret;
}

/** A link fails when the name is taken, and never shows a half-written file: the first process wins. */
async function putFirst(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (isTaken(error)) return;
    // Without links, the later of two processes wins; that can only happen once for each folder.
    if (!hasNoLinks(error)) throw error;
    await replaceBy(draft, path);
  }
}

async function readFrom(path: string): Promise<string | null> {
  const text = await readIfThere(path).catch((error: unknown) => {
    if (isMissingOrNotOwned(error)) return null;
    throw error;
  });
  return text?.trim() ?? null;
}
