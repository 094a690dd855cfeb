/** Environment variables: on Windows their names ignore case, and PATH has another separator. */
import { pathsOf } from "./paths.ts";
import { isWindows, type Platform, thisPlatform } from "./platform.ts";

type VariableNames = ReadonlySet<string>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that every Windows program needs in order to run. */
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

/** Whether the name is one of `names`, or one that no program of the system can run without. */
export function isNeededVariable(
  name: string,
  names: VariableNames,
  platform: Platform = thisPlatform,
): boolean {
  const isSystems = isWindows(platform) && windowsNames.has(name.toUpperCase());
  return isSystems || hasVariable(names, name, platform);
}

/** The value of a variable in a possible copy of the environment, which keeps names as they were written. */
export function variableOf(
  environment: Environment,
  name: string,
  platform: Platform = thisPlatform,
): string | undefined {
  const names = new Set([name]);
  const key = Object.keys(environment).find((each) => hasVariable(names, each, platform));
  return key === undefined ? undefined : environment[key];
}

/** The environment without the variables of these names. */
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

/** The environment with these variables in place of its own: with two of one name it would be open which one counts. */
export function withVariables(
  environment: Environment,
  added: Readonly<Record<string, string>>,
  platform: Platform = thisPlatform,
): Record<string, string> {
  return { ...withoutVariables(environment, Object.keys(added), platform), ...added };
}

/**
 * PATH without relative entries, which would find programs in any working folder, and without empty ones, which mean
 * the same. If nothing is left, the default of systems without a PATH.
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
