/** Loads a program of dist/, CommonJS in several files, with the compiled code that earlier starts cached. */
import { isAscii } from "node:buffer";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { cacheFolder, homeFolder } from "../standard-folders.ts";
import { isMissing } from "../system-error.ts";
import {
  type CompiledCode,
  codePath,
  hashOf,
  type KeptCode,
  readCode,
  removeOldCode,
  writeCode,
} from "./compiled-code.ts";

export interface LoadedProgram<Program> {
  /** The exports of its first file. */
  readonly program: Program;
  /** Writes what is compiled by now, unless an earlier start did; takes about 50 ms the first times. */
  keepCode(): void;
}

/** The object that the code sees as `module`. */
interface LoadedFile {
  readonly exports: unknown;
  /** For the user's tool files: cached code cannot use `import()` itself. */
  import(address: string): Promise<unknown>;
}

interface CompiledFile {
  readonly path: string;
  /** The hash of its source. */
  readonly source: Buffer;
  readonly script: Script;
  kept: KeptCode | null;
}

/** Loads `name.cjs` next to the entry with this address. */
export function loadProgram<Program>(name: string, entry: string): LoadedProgram<Program> {
  const dist = dirname(fileURLToPath(entry));
  const main = join(dist, `${name}.cjs`);
  const nodesOwn = createRequire(entry);
  const folder = codeFolder();
  // Node reads source maps only of files that it loads itself.
  if (folder === null || process.sourceMapsEnabled) {
    return { program: nodesOwn(main), keepCode() {} };
  }
  const pathOf = (path: string, source: Buffer) => codePath(folder, name, path, source);
  const loader = createLoader(nodesOwn, (path, source) => readCode(pathOf(path, source), source));
  // The type is that of the loaded file, which was built from the sources that name it.
  const program = loader.load(main) as Program;
  return {
    program,
    keepCode() {
      const due = loader.compiled.filter(({ kept }) => kept === null || kept.isDue);
      for (const file of due) {
        const { path, source, script, kept } = file;
        file.kept = writeCode(pathOf(path, source), source, script.createCachedData(), kept);
        if (file.kept === null) return;
      }
      if (due.length > 0) removeOldCode(folder);
    },
  };
}

/** Follows Node's own variables for its own cache; null when caching is off. */
function codeFolder(): string | null {
  const { env } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE) return null;
  try {
    const cache = env.NODE_COMPILE_CACHE || cacheFolder({ env, home: homeFolder() });
    return join(cache, "parley", "code");
  } catch {
    // A user without a home folder.
    return null;
  }
}

function createLoader(
  nodesOwn: NodeJS.Require,
  readKept: (path: string, source: Buffer) => CompiledCode | null,
) {
  const loaded = new Map<string, LoadedFile>();
  const compiled: CompiledFile[] = [];

  function load(path: string): unknown {
    const known = loaded.get(path);
    if (known !== undefined) return known.exports;
    const bytes = readOwn(path);
    const source = hashOf(bytes);
    const found = readKept(path, source);
    const script = new Script(bytes.toString(isAscii(bytes) ? "latin1" : "utf8"), {
      filename: path,
      ...(found === null ? {} : { cachedData: found.code }),
    });
    compiled.push({ path, source, script, kept: keptOf(found, script) });
    const file: LoadedFile = { exports: {}, import: (address) => import(address) };
    loaded.set(path, file);
    const folder = dirname(path);
    const require = (asked: string) =>
      asked.startsWith(".") ? load(join(folder, asked)) : nodesOwn(asked);
    try {
      script.runInThisContext()(file.exports, require, file, path, folder);
    } catch (error) {
      // It runs again on the next request, as in Node.
      loaded.delete(path);
      throw error;
    }
    return file.exports;
  }

  return { load, compiled: compiled as readonly CompiledFile[] };
}

const [head, tail] = ["(function (exports, require, module, __filename, __dirname) {", "\n})"];

/** Throws a sentence for a file that an update removed: a program loads some of its files only on first use. */
function readOwn(path: string): Buffer {
  try {
    return readWrapped(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const words = "is gone: Parley was updated since it was started here. :Parley restart helps.";
    throw new Error(`${path} ${words}`, { cause: error });
  }
}

/** Wraps the file in a function. Joins bytes, so that a text of a megabyte exists only once. */
function readWrapped(path: string): Buffer {
  return Buffer.concat([Buffer.from(head), readFileSync(path), Buffer.from(tail)]);
}

/** Without the code itself, which has some megabytes and of which V8 has made its own copy. */
function keptOf(found: CompiledCode | null, script: Script): KeptCode | null {
  if (found === null || script.cachedDataRejected === true) return null;
  const { bytes, writes, isDue } = found;
  return { bytes, writes, isDue };
}
