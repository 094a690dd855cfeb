/** The files of a project that its server's entry names: approving the server approves the texts of these files. */
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import type { StdioLaunch } from "../../mcp/configured/entry.ts";
import { launcherOf, programName } from "../../mcp/configured/launchers.ts";
import { objectOf, parseJson, textOf } from "../../shared/json.ts";
import { isBelow } from "../../system/paths.ts";
import { readRegularText } from "../../system/regular-file.ts";
import { absoluteEntries, variableOf } from "../../system/variables.ts";
import { contains, realPath } from "../files/inside.ts";
import type { SeenFiles } from "../tools/tool-changes.ts";

/** In bytes; a larger file is identified by its size and time. */
const largestScript = 4 * 1024 * 1024;

interface ScriptSources {
  readonly project: string;
  /** Resolves a text of the entry as the start does. */
  readonly known: (text: string) => Promise<string>;
  readonly seen: SeenFiles;
}

/**
 * The files of the project that the entry names or that decide what it runs, with hashes of their texts; for links out
 * of the project, where they lead.
 */
export async function scriptsOf(
  { command, args, cwd, env, envFile }: StdioLaunch,
  { project, known, seen }: ScriptSources,
): Promise<readonly (readonly [path: string, hash: string])[]> {
  const folder = resolve(project, cwd === null ? "" : await known(cwd));
  // Variables can name code that is loaded before a program's own (NODE_OPTIONS, PYTHONSTARTUP).
  const texts = await Promise.all([command, ...args, ...Object.values(env)].map(known));
  const words = texts.flatMap(namesIn);
  const manifests = launcherOf(command, args)?.manifests ?? [];
  const files = [...words, ...manifests, ...(envFile === null ? [] : [await known(envFile)])];
  const searched = await programsIn(await known(variableOf(env, "PATH") ?? ""), project, words);
  const named = [...new Set([...files.map((file) => resolve(folder, file)), ...searched])];
  const isSearching = words.some((word) => runtime.test(programName(word)));
  const scriptsIn = createScriptsIn();
  const meant = isSearching
    ? (await Promise.all(named.map((path) => scriptsMeant(path, scriptsIn)))).flat()
    : [];
  const paths = [...new Set([...named, ...meant])];
  const found = await Promise.all(
    paths.map(async (path) => {
      seen.version(path);
      const real = await realPath(path);
      if (real === null) return [];
      // A link out of the project may later lead elsewhere; the text at its target is not the project's.
      if (!(await contains(project, real)))
        return isBelow(project, path) ? [[path, real] as const] : [];
      const hash = await hashOf(real);
      return hash === null ? [] : [[path, hash] as const];
    }),
  );
  return found.flat();
}

/**
 * The programs with one of these names in folders of the project that its own PATH has, such as `node_modules/.bin`. A
 * relative entry is left out at the start as well.
 */
async function programsIn(
  path: string,
  project: string,
  words: readonly string[],
): Promise<readonly string[]> {
  const names = new Set(words.map(programName));
  const folders = absoluteEntries(path)
    .split(delimiter)
    .filter((folder) => isBelow(project, folder));
  const found = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(folder).catch(() => []);
      return entries.flatMap((entry) =>
        names.has(programName(entry)) ? [join(folder, entry)] : [],
      );
    }),
  );
  return found.flat();
}

/** The most different words of an entry whose files are looked up; users write a few dozen. */
const mostWords = 500;

/** Whether looking up everything that the entry may name would take too long: a repository can write anything. */
export function hasTooManyWords({ command, args, env }: StdioLaunch): boolean {
  const texts = [command, ...args, ...Object.values(env)];
  return [texts, texts.flatMap(wordsIn)].some((words) => new Set(words).size > mostWords);
}

function wordsIn(text: string): readonly string[] {
  return text.split(/[\s"'`;&|()<>=:,]+/).filter((word) => word !== "");
}

/** What may name a file in a text: all of it, a value after `=`, a word of a shell line, a Python module. */
function namesIn(word: string): readonly string[] {
  const module = /^\w+(\.\w+)*$/.test(word) ? word.replaceAll(".", "/") : null;
  const python = module === null ? [] : [`${module}.py`, `${module}/__main__.py`];
  return [word, word.replace(/^[^=]*=/, ""), ...wordsIn(word), ...python];
}

/** These run `./server.js` for `./server`, and the main script of a folder. */
const runtime = /^(?:node(?:js)?|bun|deno|tsx|ts-node|py|(?:python|pypy)[\d.]*)$/;
const scriptType = /\.(?:[cm]?[jt]sx?|py)$/;

/** Returns the scripts directly in a folder with one of these names (without ending); lists each folder once. */
type ScriptsIn = (folder: string, names: readonly string[]) => Promise<readonly string[]>;

function createScriptsIn(): ScriptsIn {
  const known = new Map<string, Promise<ReadonlyMap<string, readonly string[]>>>();
  return async (folder, names) => {
    const looked = known.get(folder) ?? scriptsByName(folder);
    known.set(folder, looked);
    const found = await looked;
    return names.flatMap((name) => found.get(name) ?? []);
  };
}

async function scriptsByName(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const entry of await readdir(folder).catch(() => [])) {
    const name = entry.replace(scriptType, "");
    if (name === entry) continue;
    const known = found.get(name) ?? [];
    found.set(name, known);
    known.push(join(folder, entry));
  }
  return found;
}

/** The other scripts that a runtime may run for this path, besides the file itself. */
async function scriptsMeant(
  path: string,
  scriptsIn: ScriptsIn,
  isMain = false,
): Promise<readonly string[]> {
  const status = await stat(path).catch(() => null);
  if (status?.isFile()) return isMain ? [path] : [];
  if (status?.isDirectory() !== true) return scriptsIn(dirname(path), [basename(path)]);
  const found = await scriptsIn(path, ["index", "__main__"]);
  if (isMain) return found;
  const manifest = join(path, "package.json");
  const text = await readRegularText(manifest, largestScript).catch(() => "");
  const main = textOf(objectOf(parseJson(text)).main);
  const meant = main === "" ? [] : await scriptsMeant(join(path, main), scriptsIn, true);
  return [...found, manifest, ...meant];
}

async function hashOf(path: string): Promise<string | null> {
  const found = await stat(path);
  if (!found.isFile()) return null;
  if (found.size > largestScript) return `${found.size} ${found.mtimeMs}`;
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}
