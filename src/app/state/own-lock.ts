/** Work that no other process of Parley does at the same time, by a file that only one can make. */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { hasCode, isMissing } from "./own-files.ts";

/** Milliseconds after which whoever made the file has died: no such work takes as long. */
const abandonedAfterMs = 60_000;
const pollMs = 25;

const queues = new Map<string, Promise<unknown>>();

/**
 * Runs the work alone, in this process and among all others that name the same file. Rejects with a sentence when
 * the others do not end within a minute and a half.
 */
export async function alone<T>(file: string, work: () => Promise<T>): Promise<T> {
  const turn = (queues.get(file) ?? Promise.resolve()).then(() => locked(file, work));
  const settled = turn.catch(() => {});
  queues.set(file, settled);
  try {
    return await turn;
  } finally {
    if (queues.get(file) === settled) queues.delete(file);
  }
}

async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  const mine = randomUUID();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const end = Date.now() + abandonedAfterMs * 1.5;
  while (!(await isTaken(file, mine))) {
    if (Date.now() > end) {
      throw new Error(
        `${file} is held by another Neovim; nothing was changed. Delete it if there is none.`,
      );
    }
    await delay(pollMs);
  }
  try {
    return await work();
  } finally {
    // Not when it was taken for abandoned and is another's by now.
    if ((await ownerOf(file)) === mine) await rm(file, { force: true });
  }
}

async function isTaken(file: string, mine: string): Promise<boolean> {
  try {
    await writeFile(file, mine, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  const owner = await ownerOf(file);
  try {
    const { mtimeMs } = await stat(file);
    const isAbandoned = Date.now() - mtimeMs > abandonedAfterMs;
    if (isAbandoned && owner === (await ownerOf(file))) await rm(file, { force: true });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return false;
}

async function ownerOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
