/** The repository that a folder is in. */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The folders from this one up to the top of its repository, which is the last; null when it is in none. */
export async function foldersToTop(start: string): Promise<readonly string[] | null> {
  const passed: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    passed.push(folder);
    if (await exists(join(folder, ".git"))) return passed;
    if (dirname(folder) === folder) return null;
  }
}

export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
