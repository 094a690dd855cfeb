/** The texts of a folder's files joined into one text, each under its name (format, section 10). */
import { relative } from "node:path";
import { filterInTurns } from "../../shared/event-loop.ts";
import { slashed } from "../../system/paths.ts";
import { largestText, tooLargeText } from "../files/file-content.ts";
import { filesBelow } from "../files/files-below.ts";
import { fitsGlob } from "../files/glob.ts";
import { reasonOf } from "../files/reason-of.ts";
import type { Workspace } from "../files/workspace.ts";
import { looksSecret } from "./secret-files.ts";

export interface FolderSources {
  readonly workspace: Pick<Workspace, "read">;
  /** The rule that keeps a file from the reading tools; null: there is none. */
  readonly readDenial: (path: string) => string | null;
  readonly signal: AbortSignal;
}

/** The joined text, and what was left out of it, as sentence parts that begin with a name. */
export interface GatheredText {
  readonly text: string;
  readonly leftOut: readonly string[];
}

/** The most files of a folder that are sent at once. */
const mostFiles = 500;

/** Returns a sentence part when there is nothing to send. `folder` is a real path; links in it are not followed. */
export async function readFolder(
  { folder, glob }: { readonly folder: string; readonly glob: string },
  sources: FolderSources,
): Promise<GatheredText | string> {
  const { files, isCut } = await filesBelow(folder, sources.signal);
  if (isCut) return "has too many subfolders to look into; name one of them";
  const wanted = await filterInTurns(
    files.filter(({ isLink }) => !isLink).map(({ path }) => path),
    (path) => fitsGlob(glob, slashed(relative(folder, path))),
    sources.signal,
  );
  if (wanted.length > mostFiles) {
    return `matches ${wanted.length} files, more than the ${mostFiles} that Parley reads at once; name fewer`;
  }
  const gathered = await gatherFiles(wanted, folder, sources);
  if (typeof gathered === "string") return gathered;
  return gathered.text === "" && gathered.leftOut.length === 0 ? "has no matching files" : gathered;
}

/** `files` are real paths; they are named relative to `folder`. */
export async function gatherFiles(
  files: readonly string[],
  folder: string,
  { workspace, readDenial, signal }: FolderSources,
): Promise<GatheredText | string> {
  const parts: string[] = [];
  const leftOut: string[] = [];
  let size = 0;
  for (const path of files) {
    signal.throwIfAborted();
    const name = slashed(relative(folder, path));
    const found = withheld(path, readDenial) ?? (await readPart(workspace, path, name));
    if (typeof found === "string") {
      leftOut.push(`${name} (${found})`);
      continue;
    }
    const part = `File: ${name}\n\n${found.text.replace(/\n$/, "")}`;
    size += Buffer.byteLength(part) + 2;
    if (size > largestText) return `${tooLargeText(largestText, "a text")}; name fewer files`;
    parts.push(part);
  }
  return { text: parts.join("\n\n"), leftOut };
}

/** Why a file is sent only when it is named explicitly; null: it may be one of many. */
export function withheld(path: string, readDenial: FolderSources["readDenial"]): string | null {
  if (looksSecret(path)) return "looks like a secret; name the file itself if you mean it";
  return readDenial(path) === null ? null : "one of your rules forbids reading it";
}

/** The text, or a sentence part that says why there is none. */
async function readPart(workspace: FolderSources["workspace"], path: string, name: string) {
  try {
    return (await workspace.read(path)) ?? "is gone";
  } catch (error) {
    return reasonOf(error).replace(path, name).replace(/\.$/, "");
  }
}
