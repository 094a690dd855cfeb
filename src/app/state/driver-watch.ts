/** Who else on this machine answers a chat now, as long as somebody wants to know. */
import { watch } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { driverFile, otherDriver } from "./locks.ts";

/** Milliseconds between two looks at a chat that another process answers. */
const lookMs = 500;

export interface DriverWatch {
  /** In the state folder. */
  readonly stateFolder: string;
  /** Of the chat. */
  readonly path: string;
  /**
   * Another process (by its pid) began to answer the chat, or wrote its file since; null: it is done with both. Nothing
   * is told as long as nobody else answers.
   */
  tell(pid: number | null): void;
  readonly log: (text: string) => void;
}

/** Costs nothing while nobody else answers: the system tells of the locks. Gives back what ends it. */
export function watchDriver({ stateFolder, path, tell, log }: DriverWatch): () => void {
  let isEnded = false;
  let stop = () => {};
  let told: { readonly pid: number; readonly file: string } | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;
  /** An event during a look asks for one more. */
  let isWanted = false;

  const lock = driverFile(stateFolder, path);
  const look = async () => {
    const pid = await otherDriver(lock);
    const file = pid === null ? "" : await versionOf(path);
    if (isEnded) return;
    const isNew = pid !== told?.pid || file !== told?.file;
    if (isNew && (pid !== null || told !== null)) tell(pid);
    told = pid === null ? null : { pid, file };
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
    await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
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

/** Another text another version, as files are written here: each save is another file, or has another time. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return "gone";
  }
}
