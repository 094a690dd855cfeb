/** Which paths the built-in tools may touch: all below the working folder, others with a separate approval. */

import { readlink } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { CallPath } from "../../conversation/ports.ts";
import { visible } from "../../shared/visible.ts";
import {
  canBeFile,
  expandHome,
  foldedReadings,
  invalidNameText,
  isBelow,
  isNetworkPath,
  slashed,
} from "../../system/paths.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import { hasCode } from "../../system/system-error.ts";
import { contains, isInside, isUnreachable, realPath } from "../files/inside.ts";
import { projectFiles } from "../servers/declared-servers.ts";

export interface PathAccessOptions {
  workingFolder(): string;
  /** Parley's own folders. What lies there decides what may run, so no tool writes there. */
  readonly ownFolders: readonly string[];
  /** Asks the user; null where there is no user to ask, which counts as a denial. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
}

export interface PathAccess {
  /** The path that a call names, made absolute and with all links resolved, even when nothing exists there yet. */
  find(path: string): Promise<string>;
  /** The absolute path, without following links. */
  absolute(path: string): string;
  /** The path as written, absolute and real. */
  callPath(path: string): Promise<CallPath>;
  /**
   * Returns the path when the tool may touch it; outside of the working folder it asks the user first. Rejects with a
   * sentence for the model when it may not. `waiting` is called while the user is asked.
   */
  enter(path: string, purpose: Purpose): Promise<string>;
  /** The path relative to the working folder when it lies there: shorter for the model and for people. */
  shown(path: string): string;
}

export interface Purpose {
  /** For the question: "read", "change", "list", "search in". */
  readonly verb: string;
  readonly writes: boolean;
  /** The subject of the question; "A tool" by default. */
  readonly who?: string;
  waiting(text: string): void;
}

/** Milliseconds between two progress reports while the user decides, so that the call does not time out. */
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
    // A path on another machine is not looked at before the user has approved it.
    const isFar = isNetworkPath(whole) && !isBelow(workingFolder(), whole);
    return isFar ? whole : realOrNew(whole);
  };
  return {
    find,
    absolute,
    callPath: async (written) => ({
      written,
      absolute: absolute(written),
      // A path that cannot be resolved is judged by the rules as written; using it is refused later.
      real: await find(written).catch(() => absolute(written)),
    }),
    async enter(given, { verb, writes, who = "A tool", waiting }) {
      const path = await find(given);
      if (writes) await refuseWrite(path, ownFolders);
      const where = await placeToAskAbout(path, writes, workingFolder());
      if (where === null) return path;
      if (confirm === null) {
        throw new Error(
          `${path} is ${where}, and there is no user here to allow it. Nothing was done.`,
        );
      }
      waiting(`asks whether it may ${verb} ${quotedPath(path)}`);
      const sign = setInterval(() => waiting("waits for your approval"), signMs);
      try {
        const question = `${who} wants to ${verb} ${quotedPath(path)}, which is ${where}. Allow it this once?`;
        if (await confirm(question)) {
          // A link may have been put there while the user read the question.
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

/** Rejects with a sentence for the model where no approval can help. */
async function refuseWrite(path: string, ownFolders: readonly string[]): Promise<void> {
  if (!canBeFile(path)) throw new Error(`${path} was not written. ${invalidNameText}`);
  const own = await Promise.all(ownFolders.map((folder) => contains(folder, path)));
  if (!own.includes(true)) return;
  throw new Error(
    `${path} is one of Parley's own files, which decide what may run, so no tool may change them. Ask the user to do it.`,
  );
}

/** Says where the path lies, as part of a sentence; null: below the working folder, where no approval is needed. */
async function placeToAskAbout(
  path: string,
  writes: boolean,
  workingFolder: string,
): Promise<string | null> {
  const folded = writes ? foldedReadings(path) : [];
  // Git runs what lies there, such as a hook, an alias or a filter.
  if (folded.some((one) => one.split("/").includes(".git"))) return "in a Git folder";
  // These files hold the project's deny rules and its servers.
  const isServers = (one: string) => projectFiles.some((file) => one.endsWith(`/${slashed(file)}`));
  if (folded.some(isServers)) return "a file that configures MCP servers";
  if (await isInside(path, [workingFolder], homeFolder())) return null;
  return (await contains(workingFolder, path))
    ? "in the working folder, which contains your whole home folder"
    : `outside the working folder (${visible(workingFolder)})`;
}

/** Quotes a path where needed: the model names it, and could write text into it that reads like Parley's own. */
function quotedPath(path: string): string {
  return visible(/[\s"]/.test(path) ? JSON.stringify(path) : path);
}

/** The user denied it, so they need no message about it. */
export class NotAllowed extends Error {}

/** As operating systems limit it. */
const mostLinks = 40;

/** In characters, as operating systems limit it; each folder of a path is looked at. */
const longestPath = 4096;

/**
 * The real path. Where nothing exists yet, the real path of the nearest existing folder, with the rest as written. A
 * link to a missing target is still followed, because writing to the link would create that target.
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
    // EINVAL: the path exists and is no link.
    if (isUnreachable(error) || hasCode(error, "EINVAL")) return null;
    throw error;
  }
}
