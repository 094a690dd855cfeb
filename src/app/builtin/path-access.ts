/** Which paths the built-in tools may touch: freely below the working folder, elsewhere with a yes of its own. */

import { readlink } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { CallPath } from "../../conversation/ports.ts";
import { visible } from "../../shared/visible.ts";
import {
  canBeFile,
  expandHome,
  foldedReadings,
  isBelow,
  isNetworkPath,
  noFileWords,
  slashed,
} from "../../system/paths.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import { hasCode } from "../../system/system-error.ts";
import { contains, isInside, isNothing, realPath } from "../files/inside.ts";
import { projectFiles } from "../servers/declared-servers.ts";

export interface PathAccessOptions {
  workingFolder(): string;
  /** Parley's own folders: what lies there decides what may run, so no tool writes there. */
  readonly ownFolders: readonly string[];
  /** Asks the person; null where nobody can be asked: then it is a no. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
}

export interface PathAccess {
  /** The path as a call names it, absolute and behind all links, also when nothing is there yet. */
  find(path: string): Promise<string>;
  /** Absolute, without following links. */
  absolute(path: string): string;
  /** In all its forms. */
  callPath(path: string): Promise<CallPath>;
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
  /** "A tool" unless said. */
  readonly who?: string;
  waiting(text: string): void;
}

/** Milliseconds between two signs of life while a person decides, so that the call's time does not run out. */
const signMs = 5000;

export function createPathAccess({
  workingFolder,
  ownFolders,
  confirm,
}: PathAccessOptions): PathAccess {
  const absolute = (path: string) => resolve(workingFolder(), expandHome(path, homeFolder()));
  const find = async (path: string) => {
    const whole = absolute(path);
    if (whole.length > longestPath) {
      throw new Error(`The path has ${whole.length} characters; no file has a path that long.`);
    }
    // What a model names is not looked at on another machine before the person said yes.
    const isFar = isNetworkPath(whole) && !isBelow(workingFolder(), whole);
    return isFar ? whole : realOrNew(whole);
  };
  return {
    find,
    absolute,
    callPath: async (written) => ({
      written,
      absolute: absolute(written),
      // Where a path leads nowhere, rules judge what it says; whoever would go there is refused.
      real: await find(written).catch(() => absolute(written)),
    }),
    async enter(given, { verb, writes, who = "A tool", waiting }) {
      const path = await find(given);
      if (writes) await refuseWrite(path, ownFolders);
      const where = await placeToAskAbout(path, writes, workingFolder());
      if (where === null) return path;
      if (confirm === null) {
        throw new Error(`${path} is ${where}, and nobody is there to allow it. Nothing was done.`);
      }
      waiting(`asks whether it may ${verb} ${toldApart(path)}`);
      const sign = setInterval(() => waiting("waits for your yes"), signMs);
      try {
        const question = `${who} wants to ${verb} ${toldApart(path)}, which is ${where}. Allow it this once?`;
        if (await confirm(question)) {
          // Anybody may have put a link there while the person read the question.
          if ((await find(given)) === path) return path;
          throw new Error(
            `${path} now leads somewhere else than when the question was asked. Nothing was done.`,
          );
        }
      } finally {
        clearInterval(sign);
      }
      throw new NotAllowed(
        `The user did not allow it to ${verb} ${path}, which is ${where}. Nothing was done.`,
      );
    },
    shown(path) {
      const folder = workingFolder();
      return path !== folder && isBelow(folder, path) ? relative(folder, path) : path;
    },
  };
}

/** Rejects with a sentence for the model where no yes helps. */
async function refuseWrite(path: string, ownFolders: readonly string[]): Promise<void> {
  if (!canBeFile(path)) throw new Error(`${path} was not written. ${noFileWords}`);
  const own = await Promise.all(ownFolders.map((folder) => contains(folder, path)));
  if (!own.includes(true)) return;
  throw new Error(
    `${path} is one of Parley's own files, which decide what may run, so no tool may change them. Ask the user to do it.`,
  );
}

/** Where it lies, as a part of a sentence; null: below the working folder, where nobody has to be asked. */
async function placeToAskAbout(
  path: string,
  writes: boolean,
  workingFolder: string,
): Promise<string | null> {
  const folded = writes ? foldedReadings(path) : [];
  // Git runs what lies there: a hook, an alias, a filter.
  if (folded.some((one) => one.split("/").includes(".git"))) return "in a Git folder";
  // What a project forbids and which servers it has stands there.
  const isServers = (one: string) => projectFiles.some((file) => one.endsWith(`/${slashed(file)}`));
  if (folded.some(isServers)) return "a file that configures MCP servers";
  if (await isInside(path, [workingFolder], homeFolder())) return null;
  return (await contains(workingFolder, path))
    ? "in the working folder, which contains your whole home folder"
    : `outside the working folder (${visible(workingFolder)})`;
}

/** A model names the path, and may write words into it that read as ours. */
function toldApart(path: string): string {
  return visible(/[\s"]/.test(path) ? JSON.stringify(path) : path);
}

/** The person said no: they need not be told. */
export class NotAllowed extends Error {}

/** As systems have it. */
const mostLinks = 40;

/** In characters, as systems have it; each folder of a path is looked at. */
const longestPath = 4096;

/**
 * Of a path where nothing is yet, the real path of the nearest folder that is there, and the rest as written. A link
 * to what is not there leads there all the same: whoever writes to it makes its target.
 */
async function realOrNew(path: string, linksLeft = mostLinks): Promise<string> {
  const real = await realPath(path);
  if (real !== null) return real;
  const folder = dirname(path);
  if (folder === path) return path;
  const realFolder = await realOrNew(folder, linksLeft);
  const target = await linkTarget(join(realFolder, basename(path)));
  if (target === null) return join(realFolder, basename(path));
  if (linksLeft === 0) throw new Error(`${path} is a link that leads back to itself.`);
  return realOrNew(resolve(realFolder, target), linksLeft - 1);
}

/** Null: there is no link. */
async function linkTarget(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch (error) {
    // EINVAL: there is something else.
    if (isNothing(error) || hasCode(error, "EINVAL")) return null;
    throw error;
  }
}
