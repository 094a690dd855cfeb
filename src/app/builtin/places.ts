/** Which paths the built-in tools may touch: freely below the working folder, elsewhere with a yes of its own. */
import { homedir } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import { visible } from "../../conversation/visible.ts";
import { expandHome } from "../config.ts";
import { contains, isInside, realPath } from "../inside.ts";

export interface PlacesOptions {
  workingFolder(): string;
  /** Parley's own folders: what lies there decides what may run, so no tool writes there. */
  readonly ownFolders: readonly string[];
  /** Asks the person; null where nobody can be asked: then it is a no. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
}

export interface Places {
  /** The path as a call names it, absolute and behind all links, also when nothing is there yet. */
  find(path: string): Promise<string>;
  /**
   * Gives the path back when the tool may touch it, after a yes of the person where it lies outside of the working
   * folder. Rejects with a sentence for the model when it may not. `waiting` is called while the person is asked.
   */
  enter(path: string, purpose: Purpose): Promise<string>;
  /** Relative to the working folder where it lies there: shorter for the model and for people. */
  shown(path: string): string;
}

export interface Purpose {
  /** For the question: "read", "change", "list", "search in". */
  readonly verb: string;
  readonly writes: boolean;
  waiting(text: string): void;
}

/** Milliseconds between two signs of life while a person decides, so that the call's time does not run out. */
const signMs = 5000;

export function createPlaces({ workingFolder, ownFolders, confirm }: PlacesOptions): Places {
  const find = (path: string) => realOrNew(resolve(workingFolder(), expandHome(path, homedir())));
  return {
    find,
    async enter(given, { verb, writes, waiting }) {
      const path = await find(given);
      const own = await Promise.all(ownFolders.map((folder) => contains(folder, path)));
      if (writes && own.includes(true)) {
        throw new Error(
          `${path} is one of Parley's own files, which decide what may run; no tool changes them. Ask the person to do it.`,
        );
      }
      const inside = await isInside(path, [workingFolder()], homedir());
      // Git runs what lies there: a hook, an alias, a filter.
      const isGit = writes && path.split(sep).includes(".git");
      if (inside && !isGit) return path;
      const where = isGit ? "in a folder of Git's" : `outside of the working folder`;
      if (confirm === null) {
        throw new Error(`${path} is ${where}, and nobody is there to allow it. Nothing was done.`);
      }
      waiting(`asks whether it may ${verb} ${visible(path)}`);
      const sign = setInterval(() => waiting("waits for your yes"), signMs);
      try {
        const question = `A tool wants to ${verb} ${visible(path)}, which is ${where} (${visible(workingFolder())}). Allow it this once?`;
        if (await confirm(question)) return path;
      } finally {
        clearInterval(sign);
      }
      throw new Error(
        `The person did not allow it to ${verb} ${path}, which is ${where}. Nothing was done.`,
      );
    },
    shown(path) {
      const folder = workingFolder();
      return path.startsWith(folder + sep) ? path.slice(folder.length + 1) : path;
    },
  };
}

/** Of a path where nothing is yet, the real path of the nearest folder that is there, and the rest as written. */
async function realOrNew(path: string): Promise<string> {
  const real = await realPath(path);
  if (real !== null) return real;
  const folder = dirname(path);
  return folder === path ? path : join(await realOrNew(folder), basename(path));
}
