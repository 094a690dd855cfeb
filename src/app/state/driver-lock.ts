/**
 * Who drives a chat on this machine: one Neovim, or one `parley run`. A file in the state folder, named after the real
 * path of the chat, holds pid and start time of the process; it is left by a process that was killed, and then taken
 * over. It is advice for the person and closes the moment between a look at the file and its writing; that the file
 * holds another's text is found by comparing it, lock or not.
 */
import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../shared/json.ts";
import { sha256 } from "../../shared/sha256.ts";
import { hasCode, isMissing } from "./own-files.ts";

const driver = z.object({
  id: z.string(),
  pid: z.number().int().positive(),
  /** Start time of the process in ticks since the system began; null where the system does not tell. */
  started: z.string().nullable(),
  /** Host name and, in a container, the namespace of its pids: elsewhere a pid says nothing. */
  place: z.string(),
});
type Driver = z.infer<typeof driver>;

export type Lease =
  | { readonly type: "driving"; release(): Promise<void> }
  | { readonly type: "held"; readonly pid: number };

/**
 * How long a driver is waited for, in milliseconds: the host of a Neovim that was killed lives on for nearly a second,
 * and the person has opened the chat again by then.
 */
const leavingMs = 1500;
const leavingPollMs = 50;

/** Takes the chat for this process. Rejects with the file system's error when the state folder cannot be written. */
export async function driveChat(stateFolder: string, path: string): Promise<Lease> {
  const folder = join(stateFolder, "drivers");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const real = await realpath(path).catch(() => path);
  const lock = join(folder, `${sha256(real)}.json`);
  const mine = await describe(process.pid);
  const end = Date.now() + leavingMs;
  for (;;) {
    if (await putFirst(lock, mine)) return lease(lock, mine);
    const other = await readDriver(lock);
    if (other === "gone") continue;
    if (other !== "broken" && (await isAlive(other))) {
      if (Date.now() > end) return { type: "held", pid: other.pid };
      await new Promise((resolve) => setTimeout(resolve, leavingPollMs));
      continue;
    }
    if (await takeOver(lock, other, mine)) return lease(lock, mine);
  }
}

function lease(lock: string, mine: Driver): Lease {
  return {
    type: "driving",
    async release() {
      const now = await readDriver(lock);
      if (now !== "gone" && now !== "broken" && now.id === mine.id) await rm(lock, { force: true });
    },
  };
}

/** A link fails when the name is taken, and never shows half a file. */
async function putFirst(lock: string, mine: Driver): Promise<boolean> {
  const draft = `${lock}.${mine.id}`;
  try {
    await writeFile(draft, JSON.stringify(mine), { flag: "wx", mode: 0o600 });
    await link(draft, lock);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    if (!hasCode(error, "EPERM") && !hasCode(error, "ENOTSUP")) throw error;
    // A file system without links.
    return await writeFile(lock, JSON.stringify(mine), { flag: "wx", mode: 0o600 }).then(
      () => true,
      () => false,
    );
  } finally {
    await rm(draft, { force: true });
  }
}

/** Of several that find the same dead driver, one makes the gate that is named after it, and only that one goes on. */
async function takeOver(lock: string, dead: Driver | "broken", mine: Driver): Promise<boolean> {
  const gate = `${lock}.take.${dead === "broken" ? "broken" : dead.id}`;
  try {
    await writeFile(gate, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    await new Promise((resolve) => setTimeout(resolve, gatePollMs));
    return false;
  }
  try {
    const now = await readDriver(lock);
    const isSame =
      now === dead || (typeof now === "object" && typeof dead === "object" && now.id === dead.id);
    if (!isSame) return false;
    const draft = `${lock}.${mine.id}`;
    await writeFile(draft, JSON.stringify(mine), { flag: "wx", mode: 0o600 });
    await rename(draft, lock);
    return true;
  } finally {
    await rm(gate, { force: true });
  }
}

const gatePollMs = 10;

async function readDriver(lock: string): Promise<Driver | "gone" | "broken"> {
  try {
    const read = driver.safeParse(parseJson(await readFile(lock, "utf8")));
    return read.success ? read.data : "broken";
  } catch (error) {
    if (isMissing(error)) return "gone";
    throw error;
  }
}

async function isAlive({ pid, started, place }: Driver): Promise<boolean> {
  // Of another machine or container nothing is known here; the folder is not meant to be shared.
  if (place !== (await placeOfPids())) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, "ESRCH")) return false;
  }
  const { state, started: now } = await processOf(pid);
  // One that ended and was not yet waited for has a pid, and does nothing any more.
  if (state === "Z" || state === "X") return false;
  return started === null || now === null || now === started;
}

async function describe(pid: number): Promise<Driver> {
  const { started } = await processOf(pid);
  return { id: randomUUID(), pid, started, place: await placeOfPids() };
}

/** Fields 3 and 22 of `/proc/PID/stat`; the name before them may hold blanks and parentheses. Null where there is none. */
async function processOf(
  pid: number,
): Promise<{ readonly state: string | null; readonly started: string | null }> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] || null, started: fields[19] ?? null };
}

async function placeOfPids(): Promise<string> {
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return `${hostname()} ${boot.trim()}`;
}
