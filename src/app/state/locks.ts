/**
 * Locks between all Parley processes on this machine. A lock is a file in the state folder with the pid and the start
 * time of the process that holds it. One rule decides when its owner is gone: the process ended, or is a zombie, or its
 * pid now belongs to another process; then exactly one of the processes that want the lock takes it over. The locks of
 * chats are also watched, so that a process with the chat open knows which other process answers it (`watchDriver`).
 */
import { randomUUID } from "node:crypto";
import { linkSync, unlinkSync, watch } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { hostname, uptime } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { sha256 } from "../../shared/hash.ts";
import { parseJson } from "../../shared/json.ts";
import { plainPath } from "../../system/paths.ts";
import { realPathNow } from "../../system/real-path.ts";
import { hasNoLinks, isTaken, makeFolder, removeFile, replaceBy } from "../../system/replace.ts";
import { hasCode, isMissing } from "../../system/system-error.ts";
import { writeDraft } from "./own-files.ts";

const ownerSchema = z.object({
  id: z.string(),
  pid: z.number().int().positive(),
  /** Start time of the process in ticks since the system started; null where the system does not report it. */
  started: z.string().nullable(),
  /** Host name and boot: pids of another machine or container mean nothing here. */
  machine: z.string(),
});
type Owner = z.infer<typeof ownerSchema>;

type Lock =
  | { readonly type: "holding"; release(): Promise<void> }
  /** Another process, with this pid, held it during the whole wait. */
  | { readonly type: "held"; readonly pid: number };

/**
 * How long to wait for another process that answers the chat, in milliseconds: the host of a killed Neovim runs on for
 * nearly a second, and the user may have opened the chat again by then.
 */
const leavingMs = 1500;

/**
 * Takes a chat for this process: one Neovim, or one `parley run`, answers it. The lock closes the gap between checking
 * the file and writing it; foreign text is found by comparing the file even without it. Rejects with the file system's
 * error when the state folder cannot be written.
 */
export async function driveChat(stateFolder: string, path: string): Promise<Lock> {
  return hold(driverFile(stateFolder, path), leavingMs);
}

/** The path of the chat's lock. */
export function driverFile(stateFolder: string, path: string): string {
  return join(stateFolder, "drivers", `${sha256(realPathNow(path) ?? plainPath(path))}.json`);
}

/** The locks that this process holds. */
const ours = new Set<string>();

/** The pid of another process that holds this lock of a chat; null when there is none. */
export async function otherDriver(file: string): Promise<number | null> {
  if (ours.has(file)) return null;
  const owner = await readOwner(file);
  if (typeof owner === "string" || owner.pid === process.pid) return null;
  return (await isGone(file, owner)) ? null : owner.pid;
}

/** How long to wait for work behind a lock, in milliseconds: longer than any such work takes. */
const workMs = 90_000;

const queues = new Map<string, Promise<unknown>>();

/**
 * Runs the work exclusively, within this process and among all others that use the same file. Rejects with a sentence
 * when the lock is not free within a minute and a half.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
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
  const lock = await hold(file, workMs);
  if (lock.type === "held") {
    throw new Error(
      `Another Neovim (pid ${lock.pid}) is using ${file}, so nothing was changed. If it is no longer running, delete that file.`,
    );
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

const pollMs = 25;

/** Takes the lock; waits that many milliseconds while a living process owns it. */
async function hold(file: string, waitMs: number): Promise<Lock> {
  const mine = await thisProcess();
  const end = performance.now() + waitMs;
  for (;;) {
    if (await putFirst(file, mine)) return holding(file, mine);
    const other = await readOwner(file);
    if (other === "gone") {
      if (performance.now() <= end) continue;
      throw new Error(
        `${file} cannot be created: the system says that it exists, but it cannot be found.`,
      );
    }
    if (await isGone(file, other)) {
      if (await takeOver(file, other, mine)) return holding(file, mine);
    } else if (performance.now() > end) {
      return { type: "held", pid: other === "broken" ? 0 : other.pid };
    }
    await delay(pollMs);
  }
}

function holding(file: string, mine: Owner): Lock {
  ours.add(file);
  return {
    type: "holding",
    async release() {
      ours.delete(file);
      // Not if another process has taken it over since.
      const now = await readOwner(file);
      if (typeof now === "object" && now.id === mine.id) await removeFile(file);
    },
  };
}

/**
 * A link fails when the name is taken, and never shows half a file. The calls are synchronous because a key waits for
 * them, and one round trip to another thread takes longer than all of them together.
 */
async function putFirst(lock: string, mine: Owner): Promise<boolean> {
  const draft = `${lock}.${mine.id}`;
  writeDraft(draft, JSON.stringify(mine));
  try {
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    if (!hasNoLinks(error)) throw error;
    return await writeFile(lock, JSON.stringify(mine), { flag: "wx", mode: 0o600 }).then(
      () => true,
      () => false,
    );
  } finally {
    await removeDraft(draft);
  }
}

async function removeDraft(draft: string): Promise<void> {
  try {
    unlinkSync(draft);
  } catch {
    // Another process has the file open, or it is gone.
    await removeFile(draft);
  }
}

/** Of several processes that find the same dead owner, one creates the gate file named after it and goes on. */
async function takeOver(lock: string, dead: Owner | "broken", mine: Owner): Promise<boolean> {
  const gate = `${lock}.take.${dead === "broken" ? "broken" : dead.id}`;
  try {
    await writeFile(gate, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!isTaken(error)) throw error;
    // A gate normally exists for a moment; one this old was left by a process that was killed.
    if ((await ageOf(gate)) > gateMs) await removeFile(gate);
    return false;
  }
  try {
    const now = await readOwner(lock);
    const isSame =
      now === dead || (typeof now === "object" && typeof dead === "object" && now.id === dead.id);
    if (!isSame) return false;
    const draft = `${lock}.${mine.id}`;
    await writeFile(draft, JSON.stringify(mine), { flag: "wx", mode: 0o600 });
    await replaceBy(draft, lock);
    return true;
  } finally {
    await removeFile(gate);
  }
}

const gateMs = 5000;

async function readOwner(lock: string): Promise<Owner | "gone" | "broken"> {
  try {
    const read = ownerSchema.safeParse(parseJson(await readFile(lock, "utf8")));
    return read.success ? read.data : "broken";
  } catch (error) {
    if (isMissing(error)) return "gone";
    throw error;
  }
}

/** Milliseconds since the file was written; 0 when it no longer exists. */
async function ageOf(file: string): Promise<number> {
  try {
    return Date.now() - (await stat(file)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** Where the file system has no links, the lock file exists for a moment before it contains its owner. */
const halfMs = 500;

/** The one rule for whether the owner of the lock is gone. */
async function isGone(file: string, owner: Owner | "broken"): Promise<boolean> {
  if (owner === "broken") return (await ageOf(file)) > halfMs;
  const { pid, started, machine } = owner;
  // Nothing is known here about processes of another machine or container; the folder is not meant to be shared.
  if (machine !== (await thisMachine())) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, "ESRCH")) return true;
  }
  const { state, started: now } = await processOf(pid);
  // A zombie still has a pid, but no longer does anything.
  if (state === "Z" || state === "X") return true;
  // Without start times, as on macOS and Windows: after a loss of power the pid may belong to any process.
  if (started === null && (await ageOf(file)) > uptime() * 1000) return true;
  return started !== null && now !== null && now !== started;
}

async function thisProcess(): Promise<Owner> {
  ownStart ??= processOf(process.pid);
  const { started } = await ownStart;
  return { id: randomUUID(), pid: process.pid, started, machine: await thisMachine() };
}

/** Reads in advance what every lock of this process contains. Never rejects; what cannot be read is left out. */
export async function preloadLocks(): Promise<void> {
  await thisProcess();
}

// Both stay the same as long as this process lives.
let ownStart: ReturnType<typeof processOf> | null = null;
let boot: Promise<string> | null = null;

/** Fields 3 and 22 of `/proc/PID/stat`; the name before them may contain blanks and parentheses. Null: no file. */
async function processOf(
  pid: number,
): Promise<{ readonly state: string | null; readonly started: string | null }> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] || null, started: fields[19] ?? null };
}

async function thisMachine(): Promise<string> {
  boot ??= readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return `${hostname()} ${(await boot).trim()}`;
}

/** Milliseconds between two looks at a chat that another process answers. */
const lookMs = 500;

interface DriverWatch {
  readonly stateFolder: string;
  /** Path of the chat. */
  readonly path: string;
  /**
   * Called with the pid of another process that began to answer the chat, or wrote its file since; with null when that
   * process is done. Not called as long as no other process answers.
   */
  onDriver(pid: number | null): void;
  readonly log: (text: string) => void;
}

/** Costs nothing while no other process answers: the system reports changed locks. Returns a function that stops it. */
export function watchDriver({ stateFolder, path, onDriver, log }: DriverWatch): () => void {
  let isEnded = false;
  let stop = () => {};
  let reported: { readonly pid: number; readonly file: string } | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;
  /** An event during a look asks for one more look. */
  let isWanted = false;

  const lock = driverFile(stateFolder, path);
  const look = async () => {
    const pid = await otherDriver(lock);
    const file = pid === null ? "" : await versionOf(path);
    if (isEnded) return;
    const isNew = pid !== reported?.pid || file !== reported?.file;
    if (isNew && (pid !== null || reported !== null)) onDriver(pid);
    reported = pid === null ? null : { pid, file };
    if (timer !== null) clearTimeout(timer);
    timer = pid === null ? null : setTimeout(wake, lookMs).unref();
  };
  const lookUntilQuiet = async () => {
    while (isWanted && !isEnded) {
      isWanted = false;
      await look();
    }
  };
  const wake = () => {
    isWanted = true;
    if (isLooking) return;
    isLooking = true;
    lookUntilQuiet()
      .catch((error: unknown) => log(`driver: ${error}`))
      .finally(() => {
        isLooking = false;
      });
  };

  begin().catch((error: unknown) => log(`driver: ${error}`));
  async function begin() {
    await makeFolder(dirname(lock), 0o700);
    if (isEnded) return;
    const watcher = watch(dirname(lock), { persistent: false }, (_, name) => {
      if (name === null || name === basename(lock)) wake();
    });
    watcher.on("error", (error) => log(`driver: ${error}`));
    stop = () => watcher.close();
    wake();
  }
  return () => {
    isEnded = true;
    stop();
    if (timer !== null) clearTimeout(timer);
  };
}

/** Identifies a version of the file: each save creates a new file or changes its time. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return "gone";
  }
}
