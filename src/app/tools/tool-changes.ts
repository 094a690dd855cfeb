/** Detects when the offered tools may have changed: by an event, or by a file that changed since it was read. */

import { type Stats, statSync } from "node:fs";
import { codeOf, hasCode } from "../../system/system-error.ts";

export type FileKind = "file" | "folder" | "other";

/**
 * The files that the offered tools depend on. What was read stays valid until `look` finds a change. The checks are
 * synchronous: there are about ten, a key waits for them, and a trip to another thread takes longer than all of them.
 */
export interface SeenFiles {
  /** Changes as soon as the file, or the content of a folder, does; null: it does not exist. Call it before reading. */
  version(path: string): string | null;
  /** The kind of the file, or null if it does not exist; a change of its content does not count. */
  kind(path: string): FileKind | null;
  /** Runs a write into the folder that does not count as a change. */
  write<T>(folder: string, write: () => Promise<T>): Promise<T>;
  /** The file could not be read: the next look treats it as changed. */
  distrust(path: string): void;
}

export interface ToolChanges {
  /** Adds a listener for changes of the offered tools. Returns a function that removes it. */
  add(listener: () => void): () => void;
  /** Reports that the offered tools have changed. */
  changed(): void;
  /** The offered tools may have changed: the next caller looks again, and listeners are not called. */
  mayHaveChanged(): void;
  /** Grows with each change: results from another number may be outdated. */
  readonly times: number;
  readonly files: SeenFiles;
  /** Checks each seen file once, without reading it; a changed file counts as a doubt. */
  look(): void;
  /** From now on, the offered tools depend on other files. */
  forgetFiles(): void;
}

interface Found<T extends string | null> {
  readonly found: T;
  /** False: the next look raises a doubt, whatever it finds. */
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
  const markChanged = () => {
    times += 1;
  };
  const keyOf = ({ path, look }: Pick<Seen, "path" | "look">) => `${look === kindOf} ${path}`;
  /** Records the state in which a caller now reads the file. */
  const see = <T extends string | null>(path: string, look: Look<T>): T => {
    const now = { path, look, ...look(path) };
    const before = seen.get(keyOf(now));
    const isSame = before?.found === now.found;
    if (before !== undefined && !isSame) markChanged();
    // What earlier readers concluded is not checked again, so only a look may make an unsure state sure.
    seen.set(keyOf(now), isSame ? { ...now, isSure: before.isSure && now.isSure } : now);
    return now.found;
  };
  const lookAgain = (before: Seen) => {
    const now = { ...before, ...before.look(before.path) };
    const latest = seen.get(keyOf(before));
    if (latest?.found === now.found && latest.isSure) return;
    markChanged();
    seen.set(keyOf(before), now);
  };
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed() {
      markChanged();
      for (const listener of [...listeners]) listener();
    },
    mayHaveChanged: markChanged,
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

/** Most files that are looked at do not exist, and a key waits for them: making an error for each takes much longer. */
const quiet = { throwIfNoEntry: false } as const;

/** File systems count time in milliseconds or more: a folder that just got a file may get another at the same time. */
const tickMs = 50;

export function versionOf(path: string): Found<string | null> {
  try {
    const found = statSync(path, { bigint: true, ...quiet });
    if (found === undefined) return { found: null, isSure: true };
    const { mtimeNs, ctimeNs, size, ino } = found;
    const isYoung = found.isDirectory() && Date.now() - Number(mtimeNs / 1_000_000n) < tickMs;
    return { found: [mtimeNs, ctimeNs, size, ino].join(" "), isSure: !isYoung };
  } catch (error) {
    // Without permission to look, the file may still exist: reading it reports why.
    return { found: hasCode(error, "ENOTDIR") ? null : codeOf(error), isSure: true };
  }
}

function kindOf(path: string): Found<FileKind | null> {
  try {
    const found = statSync(path, quiet);
    return { found: found === undefined ? null : kindIn(found), isSure: true };
  } catch {
    return { found: null, isSure: true };
  }
}

function kindIn(found: Stats): FileKind {
  if (found.isFile()) return "file";
  return found.isDirectory() ? "folder" : "other";
}
