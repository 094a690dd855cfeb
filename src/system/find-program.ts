/** Which file a bare word means as a program. */
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
 * What to start for the word. Windows looks for a bare word in the folder that a program starts in, before all others:
 * `git` would be a `git.exe` of whatever repository that is. There it is looked for in PATH alone, in its absolute
 * entries; where it is in none, what comes back is not there. Elsewhere, and of a path, the word itself.
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
    // What the Microsoft Store installs is a link that only a start can follow.
    const found = lstatSync(path);
    return found.isFile() || found.isSymbolicLink();
  } catch {
    return false;
  }
}
