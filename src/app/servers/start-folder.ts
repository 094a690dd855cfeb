/**
 * Where a server of the person's own starts. A repository gets no power through it: a program that looks for code in
 * its folder starts in an empty one, and one whose entry names something in the folder worked in is asked about.
 */
import { chmod, readdir } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import type { StdioLaunch } from "../../mcp/configured/entry.ts";
import { expandText, type VariableSources } from "../../mcp/configured/expand-variables.ts";
import type { StdioConfiguration } from "../../mcp/configured/launch-configuration.ts";
import { launcherOf } from "../../mcp/configured/launchers.ts";
import { expandHome } from "../../system/paths.ts";
import { makeFolder } from "../../system/replace.ts";
import type { SeenFiles } from "../tools/tool-changes.ts";

/** Variables that are a path of the folder worked in, or of the one that Neovim was started in. */
const ofTheFolder = /\$\{(?:workspaceFolder|cwd|(?:env:)?PWD(?::-[^{}]*)?)\}|\$PWD(?![A-Z0-9_])/;

/**
 * Absolute paths in the folder worked in that the entry names, so that another folder would make it another server:
 * relative paths, words that are a file there, a relative `cwd`, `${workspaceFolder}`. Empty for most.
 */
export async function namedInFolder(
  launch: StdioLaunch,
  sources: VariableSources,
  seen: SeenFiles,
): Promise<readonly string[]> {
  const { workspaceFolder } = sources;
  const known = (text: string) => knownText(text, sources);
  const found = new Set<string>();
  const cwd = launch.cwd === null ? null : await known(launch.cwd);
  if (launch.cwd !== null && cwd !== null && (!isAbsolute(cwd) || ofTheFolder.test(launch.cwd))) {
    found.add(resolve(workspaceFolder, cwd));
  }
  const base = resolve(workspaceFolder, cwd ?? "");
  // A folder of the person's own is theirs, with all that is in it.
  const isOwnFolder = cwd !== null && found.size === 0;
  const isLauncher = launcherOf(launch.command, launch.args) !== null;
  for (const [index, written] of [launch.command, ...launch.args].entries()) {
    const text = await known(written);
    const path = index === 0 ? commandPath(text) : argumentPath(text);
    if (ofTheFolder.test(written)) found.add(path !== null && isAbsolute(path) ? path : base);
    else if (!isOwnFolder && path !== null && isNamed(path, base, { index, isLauncher, seen })) {
      found.add(resolve(base, path));
    }
  }
  // Its values are as good as a program: they name what is loaded before the server's own code.
  const envFile = launch.envFile === null ? null : await known(launch.envFile);
  if (launch.envFile !== null && envFile !== null) {
    const isRelative = !isOwnFolder && !isAbsolute(envFile);
    if (isRelative || ofTheFolder.test(launch.envFile)) found.add(resolve(base, envFile));
  }
  if (Object.values(launch.env).some((value) => ofTheFolder.test(value)))
    found.add(workspaceFolder);
  return [...found];
}

/** A text of an entry with the values put in that are known before the start; as it is written where one is not. */
export async function knownText(text: string, sources: VariableSources): Promise<string> {
  const expanded = await expandText(text, { ...sources, ...unasked }).catch(() => text);
  return expandHome(expanded, sources.userHome);
}

/** Nobody is asked and nothing is run to find out what an entry names. */
const unasked = {
  run: async () => "",
  input: async () => "",
} satisfies Partial<VariableSources>;

/** Null for a bare word, which PATH finds. */
function commandPath(command: string): string | null {
  return /[\\/]/.test(command) ? command : null;
}

/** What of an argument may be a path: all of it, or what an option is set to. */
function argumentPath(arg: string): string | null {
  const value = arg.startsWith("-") ? arg.replace(/^-[^=]*=?/, "") : arg;
  return value === "" || /^[a-z][a-z\d+.-]+:\/\//i.test(value) ? null : value;
}

function isNamed(
  path: string,
  base: string,
  {
    index,
    isLauncher,
    seen,
  }: { readonly index: number; readonly isLauncher: boolean; readonly seen: SeenFiles },
): boolean {
  if (isAbsolute(path)) return false;
  // Where it stands in a path of the repository, what is there runs now or after the next checkout.
  if (index === 0 || /^\.{1,2}([\\/]|$)/.test(path)) return true;
  const there = seen.kind(join(base, path));
  if (there === null) return false;
  // A launcher's words are commands of its own (`run`, `serve`), as folders are often called.
  return there === "file" || !isLauncher;
}

/** `launch` has its values put in and no `cwd`; `named` is what `namedInFolder` found, and was agreed to. */
export async function startFolder(
  { command, args }: StdioLaunch,
  named: readonly string[],
  workspaceFolder: string,
  stateFolder: string,
): Promise<Pick<StdioConfiguration, "cwd" | "emptyFor">> {
  const isRelative = [command, ...args].some((word) => {
    const path = word === command ? commandPath(word) : argumentPath(word);
    return path !== null && !isAbsolute(path) && named.includes(resolve(workspaceFolder, path));
  });
  if (isRelative || launcherOf(command, args) === null) return { cwd: workspaceFolder };
  return { cwd: await emptyFolder(stateFolder), emptyFor: command };
}

/** Nobody may write into it, so that it stays empty. Throws a sentence. */
async function emptyFolder(stateFolder: string): Promise<string> {
  const folder = join(stateFolder, "empty");
  await makeFolder(folder, 0o500);
  await chmod(folder, 0o500);
  if ((await readdir(folder)).length > 0) {
    throw new Error(
      `The folder ${folder} must be empty, because code in it would run; remove what is in it.`,
    );
  }
  return folder;
}
