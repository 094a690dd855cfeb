/** Variables of the environment: on Windows their names have no case, and PATH has other separators. */
import { pathsOf } from "./paths.ts";
import { isWindows, type Platform, thisPlatform } from "./platform.ts";

type VariableNames = ReadonlySet<string>;

type Environment = Readonly<Record<string, string | undefined>>;

/** What every Windows program needs to run at all. */
const windowsNames: VariableNames = new Set([
  ..."APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE".split(" "),
  ..."PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 SYSTEMDRIVE SYSTEMROOT".split(" "),
  ..."TEMP TMP USERNAME USERPROFILE WINDIR".split(" "),
]);

/** Whether a variable of this name is one of `names`. */
export function hasVariable(
  names: VariableNames,
  name: string,
  platform: Platform = thisPlatform,
): boolean {
  return names.has(name) || (isWindows(platform) && foldedNames(names).has(name.toUpperCase()));
}

function foldedNames(names: Iterable<string>): VariableNames {
  return new Set([...names].map((name) => name.toUpperCase()));
}

/** Whether the name is one of `names`, or one that no program of the system can do without. */
export function isNeededVariable(
  name: string,
  names: VariableNames,
  platform: Platform = thisPlatform,
): boolean {
  const isSystems = isWindows(platform) && windowsNames.has(name.toUpperCase());
  return isSystems || hasVariable(names, name, platform);
}

/** The value of a variable in what may be a copy of the environment, which knows names as they were written. */
export function variableOf(
  environment: Environment,
  name: string,
  platform: Platform = thisPlatform,
): string | undefined {
  const names = new Set([name]);
  const key = Object.keys(environment).find((each) => hasVariable(names, each, platform));
  return key === undefined ? undefined : environment[key];
}

/** The environment without those of these names. */
export function withoutVariables(
  environment: Environment,
  names: Iterable<string>,
  platform: Platform = thisPlatform,
): Record<string, string> {
  const left = isWindows(platform) ? foldedNames(names) : new Set(names);
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || left.has(isWindows(platform) ? name.toUpperCase() : name)
        ? []
        : [[name, value] as const],
    ),
  );
}

/** The environment with these in the place of its own ones: two of one name would leave open which one counts. */
export function withVariables(
  environment: Environment,
  added: Readonly<Record<string, string>>,
  platform: Platform = thisPlatform,
): Record<string, string> {
  return { ...withoutVariables(environment, Object.keys(added), platform), ...added };
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
  environment: Environment,
  platform: Platform = thisPlatform,
): Record<string, string | undefined> {
  const entries = Object.entries(environment).map(([name, value]) =>
    value !== undefined && hasVariable(pathNames, name, platform)
      ? [name, absoluteEntries(value, platform)]
      : [name, value],
  );
  return Object.fromEntries(entries);
}

const pathNames: VariableNames = new Set(["PATH"]);
