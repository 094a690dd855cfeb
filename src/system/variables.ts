/** Variables of the environment: on Windows their names have no case, and PATH has other separators. */
import { pathsOf } from "./paths.ts";
import { isWindows, type Platform, thisPlatform } from "./platform.ts";

/** Names of programs that need nothing of ours, for a look-up by `hasVariable`. */
export type VariableNames = ReadonlySet<string>;

/** What every Windows program needs to run at all. */
const windowsNames: VariableNames = new Set([
  ..."APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE".split(" "),
  ..."PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 SYSTEMDRIVE SYSTEMROOT".split(" "),
  ..."TEMP TMP USERNAME USERPROFILE WINDIR".split(" "),
]);

/** Whether the name is one of `names`, or one that no program of the system can do without. */
export function isNeededVariable(
  name: string,
  names: VariableNames,
  platform: Platform = thisPlatform,
): boolean {
  if (names.has(name)) return true;
  const upper = name.toUpperCase();
  return isWindows(platform) && (windowsNames.has(upper) || names.has(upper));
}

/**
 * PATH without relative entries: they would mean programs of whatever folder something starts in. So would an empty
 * one; where nothing is left, what systems have without a PATH.
 */
export function absoluteEntries(path: string, platform: Platform = thisPlatform): string {
  const { delimiter, isAbsolute } = pathsOf(platform);
  const kept = path.split(delimiter).filter((entry) => isAbsolute(entry));
  if (kept.length === 0 && !isWindows(platform)) return "/usr/bin:/bin";
  return kept.join(delimiter);
}

/** The environment with such a PATH. */
export function withAbsolutePath(
  environment: Readonly<Record<string, string | undefined>>,
  platform: Platform = thisPlatform,
): Record<string, string | undefined> {
  const entries = Object.entries(environment).map(([name, value]) =>
    value !== undefined && isPath(name, platform)
      ? [name, absoluteEntries(value, platform)]
      : [name, value],
  );
  return Object.fromEntries(entries);
}

function isPath(name: string, platform: Platform): boolean {
  return name === "PATH" || (isWindows(platform) && name.toUpperCase() === "PATH");
}
