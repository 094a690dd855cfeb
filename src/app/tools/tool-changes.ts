/** What says that something else may be offered: an event, or a file that is another than when it was read. */

import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { codeOf, hasCode } from "../../system/system-error.ts";

export type FileKind = "file" | "folder" | "other";

/** The files that what is offered is made from. What was read of one holds until `look` finds another. */
export interface SeenFiles {
  /** Another one means that the file, or what a folder holds, is another; null: there is none. Look before you read. */
  version(path: string): Promise<string | null>;
  /** Whether there is one, and of which kind; what it holds is of no matter. */
  kind(path: string): Promise<FileKind | null>;
  /** Writes into a folder what is known of it then: that alone is no other folder. */
  write<T>(folder: string, write: () => Promise<T>): Promise<T>;
  /** It could not be read: the next look takes it for another one. */
  distrust(path: string): void;
}

export interface ToolChanges {
  /** Hears that something else is offered. Gives back what ends it. */
  add(listener: () => void): () => void;
  /** Something else is offered now. */
  tell(): void;
  /** Something else may be offered: whoever asks next looks, and nobody is told before. */
  doubt(): void;
  /** What was found out when this was another number may be otherwise now. */
  readonly times: number;
  readonly files: SeenFiles;
  /**
   * Looks once at every file that was seen; one that is another is a doubt. Reads none. A look that began at `since` or
   * later serves, too: what is made for one key needs no more than one.
   */
  look(since?: Moment): Promise<void>;
  /** What is offered is made from other files from now on. */
  forgetFiles(): void;
}

/** By `performance.now()`. */
export type Moment = number;

interface Found<T extends string | null> {
  readonly found: T;
  /** False: the next look is a doubt, whatever it finds. */
  readonly isSure: boolean;
}

type Look<T extends string | null> = (path: string) => Promise<Found<T>>;

interface Seen extends Found<string | null> {
  readonly path: string;
  readonly look: Look<string | null>;
}

export function createToolChanges(): ToolChanges {
  const listeners = new Set<() => void>();
  const seen = new Map<string, Seen>();
  let times = 0;
  let last: { readonly begun: Moment; readonly done: Promise<unknown> } | null = null;
  const doubt = () => {
    times += 1;
  };
  const keyOf = ({ path, look }: Pick<Seen, "path" | "look">) => `${look === kindOf} ${path}`;
  /** Whoever reads a file for what is offered saw it like this. */
  const see = async <T extends string | null>(path: string, look: Look<T>): Promise<T> => {
    const now = { path, look, ...(await look(path)) };
    const before = seen.get(keyOf(now));
    const isSame = before?.found === now.found;
    if (before !== undefined && !isSame) doubt();
    // What others made of it is not looked at again, so only a look may say that it is sure now.
    seen.set(keyOf(now), isSame ? { ...now, isSure: before.isSure && now.isSure } : now);
    return now.found;
  };
  const lookAgain = async (before: Seen) => {
    const now = { ...before, ...(await before.look(before.path)) };
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
        const before = await versionOf(folder);
        const result = await write();
        const last = seen.get(keyOf(now));
        const isOurs = last?.isSure === true && last.found === before.found;
        if (isOurs) seen.set(keyOf(now), { ...now, ...(await versionOf(folder)), isSure: true });
        return result;
      },
      distrust(path) {
        for (const [key, one] of seen) {
          if (one.path === path) seen.set(key, { ...one, isSure: false });
        }
      },
    },
    async look(since = performance.now()) {
      if (last === null || last.begun < since) {
        const begun = performance.now();
        last = { begun, done: Promise.all([...seen.values()].map(lookAgain)) };
      }
      await last.done;
    },
    forgetFiles: () => seen.clear(),
  };
}

/** Clocks of file systems tick in milliseconds: a folder that just got a file may get another in the same tick. */
const tickMs = 50;

async function versionOf(path: string): Promise<Found<string | null>> {
  try {
    const found = await stat(path, { bigint: true });
    const { mtimeNs, ctimeNs, size, ino } = found;
    const isYoung = found.isDirectory() && Date.now() - Number(mtimeNs / 1_000_000n) < tickMs;
    return { found: [mtimeNs, ctimeNs, size, ino].join(" "), isSure: !isYoung };
  } catch (error) {
    // One that may not be looked at is not one that is missing: reading it says why.
    return { found: hasCode(error, "ENOENT", "ENOTDIR") ? null : codeOf(error), isSure: true };
  }
}

async function kindOf(path: string): Promise<Found<FileKind | null>> {
  const found = await stat(path).catch(() => null);
  return { found: found === null ? null : kindIn(found), isSure: true };
}

function kindIn(found: Stats): FileKind {
  if (found.isFile()) return "file";
  return found.isDirectory() ? "folder" : "other";
}
