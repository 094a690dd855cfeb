/** Finds out where the references of a question point, and whether reading them needs approval (format, section 10). */
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { expandHome, isBelow, isNetworkPath, pathsOf, slashed } from "../../system/paths.ts";
import { type Platform, thisPlatform } from "../../system/platform.ts";
import { type ReferenceName, readReferenceName } from "../../transcript/references.ts";
import type { Reference } from "../../transcript/transcript.ts";
import { isInside, realPath } from "../files/inside.ts";
import { decodedPath } from "./files-link.ts";

export interface ReferenceRoots {
  /** The editor's working folder. */
  readonly workingFolder: string;
  /** Path of the transcript. */
  readonly transcriptPath: string;
  readonly home: string;
}

/** Counted from 1; `last` is included. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

export type ReferenceTarget =
  | { readonly type: "url"; readonly url: URL }
  /**
   * `path` is the real path; `outside`: it is in neither the working folder nor the transcript's folder. `lines` count
   * from 1; null: all of them.
   */
  | {
      readonly type: "file";
      readonly path: string;
      readonly outside: boolean;
      readonly lines: LineSpan | null;
    }
  /** Files of a folder: those directly in it, or those that match `glob`, relative to the folder. */
  | {
      readonly type: "folder";
      readonly path: string;
      readonly outside: boolean;
      readonly glob: string;
    }
  | {
      readonly type: "named";
      readonly name: ReferenceName;
      readonly argument: string | null;
    }
  /** A resource of a configured MCP server; whether the server is approved is only checked on reading. */
  | { readonly type: "resource"; readonly server: string; readonly uri: string }
  /** A sentence part that says why there is nothing to read ("is …"). */
  | { readonly type: "nowhere"; readonly reason: string };

/**
 * Resolves a reference. A relative `@@…@@` is looked up in the working folder and then in the transcript's folder, an
 * image the other way round, as Markdown means it.
 */
export async function locate(
  reference: Reference,
  roots: ReferenceRoots,
): Promise<ReferenceTarget> {
  const { target, kind, label } = reference;
  const named = kind === "named" ? readReferenceName(target) : null;
  if (named !== null) return { type: "named", ...named };
  if (kind === "resource") return { type: "resource", server: label, uri: target };
  const address = addressTarget(target);
  if (address !== null) return address;
  const folders = [roots.workingFolder, dirname(roots.transcriptPath)];
  if (kind === "image") folders.reverse();
  const places = possiblePaths(reference, folders, roots.home).flatMap(({ candidates, ...how }) =>
    candidates.map((candidate) => ({ candidate, ...how })),
  );
  for (const { candidate, lines, glob } of places) {
    if (isNetworkPath(candidate) && !folders.some((folder) => isBelow(folder, candidate))) {
      return { type: "nowhere", reason: "is on another machine; give its share a drive letter" };
    }
    const path = await realPath(candidate);
    const isFolder = path !== null && (await stat(path)).isDirectory();
    if (path === null || (glob !== null && !isFolder)) continue;
    const outside = !(await isInside(path, folders, roots.home));
    return isFolder && lines === null && kind === "file"
      ? { type: "folder", path, outside, glob: glob ?? "*" }
      : { type: "file", path, outside, lines };
  }
  return { type: "nowhere", reason: reversedLines(reference) ?? "was not found" };
}

/** What to write instead where the lines after a path are in reverse order; null: they are not. */
function reversedLines({ kind, target }: Reference): string | null {
  const [whole, path, first, last] = linesAtEnd.exec(target) ?? [];
  if (whole === undefined || kind !== "file" || last === undefined) return null;
  return Number(last) >= 1 && Number(last) < Number(first)
    ? `ends before it begins; write ${path}:${last}-${first}`
    : null;
}

/** Null: it is a path. */
function addressTarget(target: string): ReferenceTarget | null {
  if (/^https?:\/\//i.test(target)) {
    if (!URL.canParse(target)) return { type: "nowhere", reason: "is not a readable address" };
    return { type: "url", url: new URL(target) };
  }
  const isDrive = /^[a-z]:[\\/]/i.test(target);
  if (isDrive || linesAtEnd.test(target) || !/^[a-z][a-z0-9+.-]+:/i.test(target)) return null;
  return { type: "nowhere", reason: "is an address that cannot be read; only http and https can" };
}

/** One reading of the written text: a path, lines of a file, or files of a folder. */
interface Spelling {
  readonly written: string;
  readonly lines: LineSpan | null;
  readonly glob: string | null;
}

/** Where each spelling may lie, in the order of the search; `folders` are for relative paths. */
export function possiblePaths(
  reference: Pick<Reference, "kind" | "target">,
  folders: readonly string[],
  home: string,
  platform = thisPlatform,
): readonly (Omit<Spelling, "written"> & { readonly candidates: readonly string[] })[] {
  const { isAbsolute, resolve } = pathsOf(platform);
  return spellings(reference, platform).map(({ written, lines, glob }) => {
    const expanded = expandHome(written, home, platform);
    const places = isAbsolute(expanded) ? [""] : folders;
    return { candidates: places.map((folder) => resolve(folder, expanded)), lines, glob };
  });
}

const linesAtEnd = /^(.*[^/:]):(\d{1,9})(?:-(\d{1,9}))?$/;

/** Splits a target into its path and the lines after it. */
export function splitLines(target: string): {
  readonly path: string;
  readonly lines: LineSpan | null;
} {
  const [whole, path = "", first = "", last = first] = linesAtEnd.exec(target) ?? [];
  if (whole === undefined || /^https?:/i.test(target)) return { path: target, lines: null };
  const lines = { first: Number(first), last: Number(last) };
  return lines.first >= 1 && lines.last >= lines.first
    ? { path, lines }
    : { path: target, lines: null };
}

/** A file's name may look like a line span or a glob, so the path as written comes first. */
function spellings(
  { kind, target }: Pick<Reference, "kind" | "target">,
  platform: Platform,
): readonly Spelling[] {
  const plain = { written: target, lines: null, glob: null };
  if (kind === "image") {
    // A file's name may contain `%20`, too.
    const decoded = decodedPath(target);
    return decoded === target ? [plain] : [plain, { ...plain, written: decoded }];
  }
  const { path, lines } = splitLines(target);
  const parts = slashed(target, platform).split("/");
  const first = parts.findIndex((part) => /[*{]/.test(part));
  const glob = first < 0 ? null : parts.slice(first).join("/");
  return [
    plain,
    ...(lines === null ? [] : [{ written: path, lines, glob: null }]),
    ...(glob === null
      ? []
      : [
          {
            written: parts
              .slice(0, first)
              .map((part) => `${part}/`)
              .join(""),
            lines: null,
            glob,
          },
        ]),
  ];
}

/** For display: leaves out user name, password and query, which may be secret, but says that there is a query. */
export function shownUrl({ origin, pathname, search }: URL): string {
  const query = search === "" ? "" : `?… (a query of ${search.length - 1} characters)`;
  return origin + pathname + query;
}
