/** Where the references of a question point, and whether reading them needs a yes (format, section 10). */
import { dirname, isAbsolute, resolve } from "node:path";
import type { Reference } from "../../transcript/transcript.ts";
import { expandHome } from "../configuration/config.ts";
import { isInside, realPath } from "./inside.ts";

export interface ReferenceRoots {
  /** The editor's working folder. */
  readonly workingFolder: string;
  /** Of the transcript. */
  readonly transcriptPath: string;
  readonly home: string;
}

export type ReferenceTarget =
  | { readonly type: "url"; readonly url: URL }
  /** `path` is the real one, behind any links; `outside` both the working folder and the transcript's. */
  | { readonly type: "file"; readonly path: string; readonly outside: boolean }
  /** Of an MCP server that is configured; whether it is agreed to shows when it is read. */
  | { readonly type: "resource"; readonly server: string; readonly uri: string }
  /** A sentence part that says why there is nothing to read ("is …"). */
  | { readonly type: "nowhere"; readonly reason: string };

/**
 * Finds what a reference names. A relative `@@…@@` is looked up in the working folder and then in the
 * transcript's, an image the other way round, as Markdown means it.
 */
export async function locate(
  reference: Reference,
  roots: ReferenceRoots,
): Promise<ReferenceTarget> {
  const { target, kind, label } = reference;
  if (kind === "resource") return { type: "resource", server: label, uri: target };
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
      const outside = !(await isInside(path, folders, roots.home));
      return { type: "file", path, outside };
    }
  }
  return { type: "nowhere", reason: "was not found" };
}

/** Markdown writes a space in the path of an image as `%20`; a file may also be named like that. */
function spellings({ kind, target }: Reference): readonly string[] {
  if (kind !== "image" || !target.includes("%")) return [target];
  try {
    return [target, decodeURIComponent(target)];
  } catch (error) {
    if (error instanceof URIError) return [target];
    throw error;
  }
}

/** For people: no user name, password or query, which may be secret; that there is a query is said. */
export function shownUrl({ origin, pathname, search }: URL): string {
  const query = search === "" ? "" : `?… (a query of ${search.length - 1} characters)`;
  return origin + pathname + query;
}
