/** Finds the file of a program that is given by a bare name. */
import { lstatSync } from "node:fs";
import { pathsOf } from "./paths.ts";
import { isWindows, type Platform, thisPlatform } from "./platform.ts";
import { variableOf } from "./variables.ts";

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: Platform;
  readonly isFile?: (path: string) => boolean;
}

/**
 * Returns what to start for the name. For a bare name, Windows first looks in the folder that the program starts in:
 * `git` could be a `git.exe` in any repository. So on Windows the name is looked up only in the absolute entries of
 * PATH; if it is in none, the returned path does not exist. Elsewhere, and for a path, returns the name itself.
 */
export function programOf(
  word: string,
  { env, platform = thisPlatform, isFile = isFileNow }: Surroundings,
): string {
  if (!isWindows(platform) || word === "" || /[\\/:]/.test(word)) return word;
  const { delimiter, isAbsolute, join } = pathsOf(platform);
  const folders = (variableOf(env, "PATH", platform) ?? "")
    .split(delimiter)
    .map((entry) => entry.replace(/^"(.*)"$/, "$1"))
    .filter((entry) => isAbsolute(entry));
  const endings = (variableOf(env, "PATHEXT", platform) || ".COM;.EXE;.BAT;.CMD").split(delimiter);
  const names = [...(word.includes(".") ? [word] : []), ...endings.map((ending) => word + ending)];
  for (const folder of folders) {
    const found = names.map((name) => join(folder, name)).find(isFile);
    if (found !== undefined) return found;
  }
  return join(folders[0] ?? "C:\\", word);
}

function isFileNow(path: string): boolean {
  try {
    // A program from the Microsoft Store is a link that only starting it can follow.
    const found = lstatSync(path);
    return found.isFile() || found.isSymbolicLink();
  } catch {
    return false;
  }
}
