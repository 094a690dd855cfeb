/** The repository that contains a folder. */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAbove } from "./inside.ts";

/** The folders from this one up to the top of its repository, which is the last; null outside of repositories. */
export async function foldersToTop(
  start: string,
  isThere: (path: string) => Promise<boolean> = exists,
): Promise<readonly string[] | null> {
  const passed: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    passed.push(folder);
    if (await isThere(join(folder, ".git"))) return passed;
    if (dirname(folder) === folder) return null;
  }
}

export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * The working directory, and for each chat the repository that its file is in. A repository that contains the home
 * folder is left out: it would expose everything the user has.
 */
export async function projectRoots(
  workingDirectory: string,
  chatPaths: readonly string[],
  home: string,
): Promise<readonly string[]> {
  const tops = await Promise.all(
    chatPaths.filter((path) => path !== "").map((path) => foldersToTop(dirname(path))),
  );
  const repositories = tops.flatMap((folders) => folders?.at(-1) ?? []);
  return [...new Set([workingDirectory, ...repositories.filter((top) => !isAbove(top, home))])];
}
