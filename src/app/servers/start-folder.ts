/**
 * Chooses the folder that a server of the user's own starts in, so that no repository controls it: a program that looks
 * for code in its folder starts in an empty one, and an entry that names files of the working folder needs approval.
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

/** Variables that stand for a path of the working folder, or of the folder that Neovim was started in. */
const ofTheFolder = /\$\{(?:workspaceFolder|cwd|(?:env:)?PWD(?::-[^{}]*)?)\}|\$PWD(?![A-Z0-9_])/;

/**
 * Absolute paths in the working folder that the entry names, so that it would be another server in another folder:
 * relative paths, words that are files there, a relative `cwd`, `${workspaceFolder}`. Empty for most servers.
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
  // A folder that the user's entry names is trusted with everything in it.
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
  // Its variables can name code that is loaded before the server's own, so the file matters like a program.
  const envFile = launch.envFile === null ? null : await known(launch.envFile);
  if (launch.envFile !== null && envFile !== null) {
    const isRelative = !isOwnFolder && !isAbsolute(envFile);
    if (isRelative || ofTheFolder.test(launch.envFile)) found.add(resolve(base, envFile));
  }
  if (Object.values(launch.env).some((value) => ofTheFolder.test(value)))
    found.add(workspaceFolder);
  return [...found];
}

/** A text of an entry with the values that are known before the start filled in; as written where one is unknown. */
export async function knownText(text: string, sources: VariableSources): Promise<string> {
  const expanded = await expandText(text, { ...sources, ...unasked }).catch(() => text);
  return expandHome(expanded, sources.userHome);
}

/** Asks no question and runs no command to find out what an entry names. */
const unasked = {
  run: async () => "",
  input: async () => "",
} satisfies Partial<VariableSources>;

/** Null for a bare word, which is looked up in PATH. */
function commandPath(command: string): string | null {
  return /[\\/]/.test(command) ? command : null;
}

/** The part of an argument that may be a path: all of it, or the value of an option. */
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
  const there = seen.kind(join(base, path));
  // A command line that was written as the command, such as `npx -y @scope/server`, is no path; it does not start.
  if (there === null && index === 0 && /^[^\s\\/]+\s/.test(path)) return false;
  // Such a path counts even if the file is missing: the next checkout may add it.
  if (index === 0 || /^\.{1,2}([\\/]|$)/.test(path)) return true;
  if (there === null) return false;
  // Words after a launcher are its own commands (`run`, `serve`), and folders often have such names.
  return there === "file" || !isLauncher;
}

/** The values of `launch` are filled in, and it has no `cwd`; `named`: approved paths found by `namedInFolder`. */
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

/** Read-only, so that it stays empty. Throws a sentence. */
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
