/** Where the references of a question point, and whether reading them needs a yes (format, section 10). */
import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { Reference } from "../transcript/types.ts";
import { expandHome } from "./config.ts";

export interface ReferenceRoots {
  /** The editor's working folder. */
  readonly workingFolder: string;
  /** Of the transcript. */
  readonly transcriptPath: string;
  readonly home: string;
}

export type ReferencePlace =
  | { readonly type: "url"; readonly url: URL }
  /** `path` is the real one, behind any links; `outside` both the working folder and the transcript's. */
  | { readonly type: "file"; readonly path: string; readonly outside: boolean }
  /** A sentence part that says why there is nothing to read ("is …"). */
  | { readonly type: "nowhere"; readonly reason: string };

/**
 * Finds what a reference names. A relative `@@…@@` is looked up in the working folder and then in the
 * transcript's, an image the other way round, as Markdown means it.
 */
export async function locate(reference: Reference, roots: ReferenceRoots): Promise<ReferencePlace> {
  const { target, kind } = reference;
  if (/^https?:\/\//i.test(target)) {
    if (!URL.canParse(target)) return { type: "nowhere", reason: "is not a readable address" };
    return { type: "url", url: new URL(target) };
  }
  if (/^[a-z][a-z0-9+.-]+:/i.test(target) && !/^[a-z]:[\\/]/i.test(target)) {
    return {
      type: "nowhere",
      reason: "is an address that cannot be read; only http and https can",
    };
  }
  const transcriptFolder = dirname(roots.transcriptPath);
  const folders = [roots.workingFolder, transcriptFolder];
  if (kind === "image") folders.reverse();
  for (const written of spellings(reference)) {
    const expanded = expandHome(written, roots.home);
    const candidates = isAbsolute(expanded)
      ? [expanded]
      : folders.map((folder) => resolve(folder, expanded));
    for (const candidate of candidates) {
      const path = await realPath(candidate);
      if (path === null) continue;
      const narrow = folders.filter((folder) => !isAbove(folder, roots.home));
      const inside = await Promise.all(narrow.map((folder) => contains(folder, path)));
      return { type: "file", path, outside: !inside.includes(true) };
    }
  }
  return { type: "nowhere", reason: "was not found" };
}

/** A home folder, or what holds it, holds everything a person has: being in it says nothing of a file. */
function isAbove(folder: string, home: string): boolean {
  const way = relative(folder, home);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Markdown writes a space in the path of an image as `%20`; a file may also be named like that. */
function spellings({ kind, target }: Reference): readonly string[] {
  if (kind === "file" || !target.includes("%")) return [target];
  try {
    return [target, decodeURIComponent(target)];
  } catch (error) {
    if (error instanceof URIError) return [target];
    throw error;
  }
}

async function contains(folder: string, path: string): Promise<boolean> {
  const real = (await realPath(folder)) ?? folder;
  const way = relative(real, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Null when there is nothing at the path, or nothing that may be looked at. */
async function realPath(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    const nothing = [
      "ENOENT",
      "ENOTDIR",
      "EACCES",
      "ELOOP",
      "ENAMETOOLONG",
      "ERR_INVALID_ARG_VALUE",
    ];
    if (nothing.includes(String(code))) return null;
    throw error;
  }
}

/** For people: no user name, password or query, which may be secret; that there is a query is said. */
export function shownUrl({ origin, pathname, search }: URL): string {
  const query = search === "" ? "" : `?… (a query of ${search.length - 1} characters)`;
  return origin + pathname + query;
}
