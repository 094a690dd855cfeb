import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { say } from "./say.mjs";

/** In milliseconds. No build or download takes this long, so the process id of an older lock has been reused. */
const oldestBelievable = 15 * 60_000;
const heirPatience = 10_000;

/**
 * Runs `work` while no other process holds the same lock folder. The folder contains the owner's process id, so the
 * lock of a crashed owner can be taken over.
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

/**
 * Releases the lock atomically: an emptied folder could be replaced by another process's lock and be deleted with it.
 */
async function release(folder) {
  const aside = `${folder}-${randomUUID()}`;
  const left = await rename(folder, aside).then(
    () => aside,
    // Windows cannot move a folder that is in use.
    () => folder,
  );
  await rm(left, { recursive: true, force: true, maxRetries: 3 });
}

async function tryToLock(folder) {
  // Renaming onto a non-empty folder fails, so the lock appears atomically with its owner in it.
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

/** When several processes see the same dead owner, the one that creates the folder `heir` becomes the next owner. */
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
  // Another heir may have become the owner since the owner was checked.
  const stillGone = await ownerIsGone(folder);
  if (stillGone) await writeFile(join(folder, "owner"), String(process.pid));
  await rmdir(heir).catch(() => {});
  return stillGone;
}
