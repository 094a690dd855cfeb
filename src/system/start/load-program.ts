/** Loads a program of dist/, CommonJS in several files, with the compiled code that earlier starts kept. */
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
  /** What its first file exports. */
  readonly program: Program;
  /** Writes what is compiled by now, where an earlier start did not; takes some 50 ms the first times. */
  keepCode(): void;
}

/** What the code knows as `module`. */
interface LoadedFile {
  readonly exports: unknown;
  /** For a person's tool files: code of an earlier start cannot import by itself. */
  import(address: string): Promise<unknown>;
}

interface CompiledFile {
  readonly path: string;
  /** Its hash. */
  readonly source: Buffer;
  readonly script: Script;
  kept: KeptCode | null;
}

/** `name.cjs` beside the entry, whose address is given. */
export function loadProgram<Program>(name: string, entry: string): LoadedProgram<Program> {
  const dist = dirname(fileURLToPath(entry));
  const main = join(dist, `${name}.cjs`);
  const nodesOwn = createRequire(entry);
  const folder = codeFolder();
  // Node reads the source maps of files that it loads, and no others.
  if (folder === null || process.sourceMapsEnabled) {
    return { program: nodesOwn(main), keepCode() {} };
  }
  const pathOf = (path: string, source: Buffer) => codePath(folder, name, path, source);
  const loader = createLoader(nodesOwn, (path, source) => readCode(pathOf(path, source), source));
  // The type is of the file that is loaded, which was built from the sources that name it.
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

/** Node's own variables for its own cache; null where there shall be none. */
function codeFolder(): string | null {
  const { env } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE) return null;
  try {
    const cache = env.NODE_COMPILE_CACHE || cacheFolder({ env, home: homeFolder() });
    return join(cache, "parley", "code");
  } catch {
    // A person without a home folder.
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
      // It runs again for the next who asks, as it does in Node.
      loaded.delete(path);
      throw error;
    }
    return file.exports;
  }

  return { load, compiled: compiled as readonly CompiledFile[] };
}

const [head, tail] = ["(function (exports, require, module, __filename, __dirname) {", "\n})"];

/** Throws a sentence for a file that went with an update: a program loads some of its files when they are needed first. */
function readOwn(path: string): Buffer {
  try {
    return readWrapped(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const words = "is gone: Parley was updated since it was started here. :Parley restart helps.";
    throw new Error(`${path} ${words}`, { cause: error });
  }
}

/** As a function. Put together as bytes, so that of a text of a megabyte there is one. */
function readWrapped(path: string): Buffer {
  return Buffer.concat([Buffer.from(head), readFileSync(path), Buffer.from(tail)]);
}

/** Without the code itself: it is some megabytes, and V8 has made its own of it. */
function keptOf(found: CompiledCode | null, script: Script): KeptCode | null {
  if (found === null || script.cachedDataRejected === true) return null;
  const { bytes, writes, isDue } = found;
  return { bytes, writes, isDue };
}
