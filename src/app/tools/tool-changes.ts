/** What says that something else may be offered: an event, or a file that is another than when it was read. */

import { type Stats, statSync } from "node:fs";
import { codeOf, hasCode } from "../../system/system-error.ts";

export type FileKind = "file" | "folder" | "other";

/**
 * The files that what is offered is made from. What was read of one holds until `look` finds another. Each is looked at
 * at once: there are some ten, a key waits for them, and each way to another thread and back takes longer than all.
 */
export interface SeenFiles {
  /** Differs as soon as the file, or what a folder holds, has changed; null: there is none. Ask before you read. */
  version(path: string): string | null;
  /** Whether there is one, and of which kind; a change of what it holds does not count. */
  kind(path: string): FileKind | null;
  /** Runs what writes into the folder; what it wrote does not count as a change. */
  write<T>(folder: string, write: () => Promise<T>): Promise<T>;
  /** It could not be read: the next look takes it as changed. */
  distrust(path: string): void;
}

export interface ToolChanges {
  /** Hears that something else is offered. Gives back what ends it. */
  add(listener: () => void): () => void;
  /** Something else is offered now. */
  tell(): void;
  /** Something else may be offered: whoever asks next looks, and nobody is told before. */
  doubt(): void;
  /** Grows with each change: what was found out at another number may no longer hold. */
  readonly times: number;
  readonly files: SeenFiles;
  /** Looks once at every file that was seen; one that has changed is a doubt. Reads none. */
  look(): void;
  /** What is offered is made from other files from now on. */
  forgetFiles(): void;
}

interface Found<T extends string | null> {
  readonly found: T;
  /** False: the next look is a doubt, whatever it finds. */
  readonly isSure: boolean;
}

type Look<T extends string | null> = (path: string) => Found<T>;

interface Seen extends Found<string | null> {
  readonly path: string;
  readonly look: Look<string | null>;
}

export function createToolChanges(): ToolChanges {
  const listeners = new Set<() => void>();
  const seen = new Map<string, Seen>();
  let times = 0;
  const doubt = () => {
    times += 1;
  };
  const keyOf = ({ path, look }: Pick<Seen, "path" | "look">) => `${look === kindOf} ${path}`;
  /** Whoever reads a file for what is offered saw it like this. */
  const see = <T extends string | null>(path: string, look: Look<T>): T => {
    const now = { path, look, ...look(path) };
    const before = seen.get(keyOf(now));
    const isSame = before?.found === now.found;
    if (before !== undefined && !isSame) doubt();
    // What others made of it is not looked at again, so only a look may say that it is sure now.
    seen.set(keyOf(now), isSame ? { ...now, isSure: before.isSure && now.isSure } : now);
    return now.found;
  };
  const lookAgain = (before: Seen) => {
    const now = { ...before, ...before.look(before.path) };
    const latest = seen.get(keyOf(before));
    if (latest?.found === now.found && latest.isSure) return;
    doubt();
    seen.set(keyOf(before), now);
  };
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell() {
      doubt();
      for (const listener of [...listeners]) listener();
    },
    doubt,
    get times() {
      return times;
    },
    files: {
      version: (path) => see(path, versionOf),
      kind: (path) => see(path, kindOf),
      async write(folder, write) {
        const now = { path: folder, look: versionOf };
        const before = versionOf(folder);
        const result = await write();
        const last = seen.get(keyOf(now));
        const isOurs = last?.isSure === true && last.found === before.found;
        if (isOurs) seen.set(keyOf(now), { ...now, ...versionOf(folder), isSure: true });
        return result;
      },
      distrust(path) {
        for (const [key, one] of seen) {
          if (one.path === path) seen.set(key, { ...one, isSure: false });
        }
      },
    },
    look() {
      for (const one of [...seen.values()]) lookAgain(one);
    },
    forgetFiles: () => seen.clear(),
  };
}

/** Clocks of file systems tick in milliseconds: a folder that just got a file may get another in the same tick. */
const tickMs = 50;

function versionOf(path: string): Found<string | null> {
  try {
    const found = statSync(path, { bigint: true });
    const { mtimeNs, ctimeNs, size, ino } = found;
    const isYoung = found.isDirectory() && Date.now() - Number(mtimeNs / 1_000_000n) < tickMs;
    return { found: [mtimeNs, ctimeNs, size, ino].join(" "), isSure: !isYoung };
  } catch (error) {
    // One that may not be looked at is not one that is missing: reading it says why.
    return { found: hasCode(error, "ENOENT", "ENOTDIR") ? null : codeOf(error), isSure: true };
  }
}

function kindOf(path: string): Found<FileKind | null> {
  try {
    return { found: kindIn(statSync(path)), isSure: true };
  } catch {
    return { found: null, isSure: true };
  }
}

function kindIn(found: Stats): FileKind {
  if (found.isFile()) return "file";
  return found.isDirectory() ? "folder" : "other";
}
