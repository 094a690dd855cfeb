import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { say } from "./say.mjs";

/** No build and no download takes this long: an older lock belongs to a process id that was reused. */
const oldestBelievable = 15 * 60_000;
const heirPatience = 10_000;

/**
 * Runs `work` while nobody else runs under the same lock folder.
 * A folder holds the owner's process id, so a crashed owner is noticed and its lock taken over.
 */
export async function withLock(folder, work) {
  await mkdir(dirname(folder), { recursive: true });
  let announced = false;
  while (!(await tryToLock(folder))) {
    if (!announced) say(`Waiting for another process that holds ${folder}.`);
    announced = true;
    await wait(100);
  }
  try {
    return await work();
  } finally {
    await release(folder);
  }
}

/** Whole and at once: another one's lock takes the place of an empty folder, and would be deleted with this one. */
async function release(folder) {
  const aside = `${folder}-${randomUUID()}`;
  const left = await rename(folder, aside).then(
    () => aside,
    // Windows moves no folder that somebody looks at.
    () => folder,
  );
  await rm(left, { recursive: true, force: true, maxRetries: 3 });
}

async function tryToLock(folder) {
  // Renaming a filled folder onto another filled one fails, so the lock appears with its owner in it.
  const mine = await mkdtemp(`${folder}-`);
  await writeFile(join(mine, "owner"), String(process.pid));
  try {
    await rename(mine, folder);
    return true;
  } catch {
    await rm(mine, { recursive: true, force: true });
  }
  return (await ownerIsGone(folder)) && (await inherit(folder));
}

async function ownerIsGone(folder) {
  try {
    const { mtimeMs } = await stat(join(folder, "owner"));
    if (Date.now() - mtimeMs > oldestBelievable) return true;
    const owner = Number(await readFile(join(folder, "owner"), "utf8"));
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

/** Of several who see the same dead owner, the one that makes the folder `heir` becomes the next. */
async function inherit(folder) {
  const heir = join(folder, "heir");
  try {
    await mkdir(heir);
  } catch {
    const age = await stat(heir)
      .then(({ mtimeMs }) => Date.now() - mtimeMs)
      .catch(() => 0);
    if (age > heirPatience) await rmdir(heir).catch(() => {});
    return false;
  }
  // Between the look at the owner and now, another heir may have come and become the owner.
  const stillGone = await ownerIsGone(folder);
  if (stillGone) await writeFile(join(folder, "owner"), String(process.pid));
  await rmdir(heir).catch(() => {});
  return stillGone;
}
