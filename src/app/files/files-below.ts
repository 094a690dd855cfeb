/** Lists the files below a folder, without those that Git ignores, without running any program. */
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { slashed } from "../../system/paths.ts";
import { readRegularText } from "../../system/regular-file.ts";
import { hasCode } from "../../system/system-error.ts";
import { withoutBraces } from "./glob.ts";
import { type IgnoreRules, ignoreLines, readIgnoreRules } from "./ignore-rules.ts";
import { foldersToTop } from "./repository.ts";

/** The most folders that are searched. */
const folderLimit = 20_000;
/** The most bytes of an ignore file; nobody writes a longer one by hand. */
const rulesLimit = 1024 * 1024;
/** How many lines of ignore files are checked before other tasks get their turn. */
const linesAtOnce = 50_000;

export interface FilesBelow {
  /** Absolute paths, sorted. Links are listed as links and not followed. */
  readonly files: readonly { readonly path: string; readonly isLink: boolean }[];
  /** Whether there were too many folders to search all of them. */
  readonly isCut: boolean;
}

/** The rules of one folder, about paths below it, separated by `/`. */
interface FolderRules {
  readonly folder: string;
  readonly rules: IgnoreRules;
}

/** `start` is a real path. `.git` is left out. */
export async function filesBelow(start: string, signal: AbortSignal): Promise<FilesBelow> {
  const files: { readonly path: string; readonly isLink: boolean }[] = [];
  const waiting = [{ folder: start, above: await rulesAbove(start) }];
  let looked = 0;
  let linesLooked = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    signal.throwIfAborted();
    if (looked === folderLimit) return { files: sorted(files), isCut: true };
    looked += 1;
    const { folder } = next;
    const own = await rulesOf(folder, ".gitignore");
    const above = own === null ? next.above : [...next.above, own];
    const lines = above.reduce((count, { rules }) => count + rules.count, 0);
    for (const entry of await entriesOf(folder)) {
      linesLooked += lines;
      if (linesLooked > linesAtOnce) {
        linesLooked = 0;
        await pause();
        signal.throwIfAborted();
      }
      const path = join(folder, entry.name);
      if (entry.name === ".git" || isIgnored(path, entry.isDirectory(), above)) continue;
      if (entry.isDirectory()) waiting.push({ folder: path, above });
      else files.push({ path, isLink: entry.isSymbolicLink() });
    }
  }
  return { files: sorted(files), isCut: false };
}

function sorted<T extends { readonly path: string }>(files: readonly T[]): readonly T[] {
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Folders without read permission are left out, as Git does. */
async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM", "ENOENT")) return [];
    throw error;
  }
}

/** The last ignore file with a rule for the path decides, as in Git: the one nearest to it. */
function isIgnored(path: string, isFolder: boolean, rules: readonly FolderRules[]): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const way = slashed(relative(folder, path)) + (isFolder ? "/" : "");
    const answer = own.test(way);
    if (answer !== null) return answer;
  }
  return false;
}

/** The ignore files of the folders above, up to the top of the repository, and the one inside .git. */
async function rulesAbove(start: string): Promise<readonly FolderRules[]> {
  const folders = await foldersToTop(start);
  const top = folders?.at(-1);
  if (folders === null || top === undefined) return [];
  const above = folders.filter((folder) => folder !== start).toReversed();
  const lists = [
    await rulesOf(top, join(".git", "info", "exclude")),
    ...(await Promise.all(above.map((folder) => rulesOf(folder, ".gitignore")))),
  ];
  return lists.filter((list) => list !== null);
}

/** Null where there is no readable ignore file. */
async function rulesOf(folder: string, name: string): Promise<FolderRules | null> {
  const text = await readRegularText(join(folder, name), rulesLimit).catch(() => null);
  return text === null ? null : { folder, rules: readIgnoreRules(ignoreLines(text)) };
}

/** Whether a file's name matches, as in a .gitignore; `{a,b}` stands for either. */
export function globFits(glob: string): (folder: string, path: string) => boolean {
  const patterns = readIgnoreRules(withoutBraces(glob));
  return (folder, path) => {
    const way = relative(folder, path) || path.slice(dirname(path).length + 1);
    return patterns.test(slashed(way)) === true;
  };
}
