import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { bundle, executables, sourcesOfEntries } from "./bundle.mjs";
import { helpTags } from "./help-tags.mjs";
import { withLock } from "./lock.mjs";
import { cacheFolder, projectRoot } from "./paths.mjs";
import { run } from "./run.mjs";
import { say } from "./say.mjs";
import { readSources, sourcesDiffer } from "./sources.mjs";

/**
 * Builds dist/. Everything is built in memory and complete before the first file is touched, so a
 * failed build leaves the old dist/ working.
 */
export async function build({ root = projectRoot, types = false } = {}) {
  await withLock(join(root, ".cache", "build.lock"), async () => {
    const missing = sourcesOfEntries.filter((path) => !existsSync(join(root, path)));
    if (missing.length > 0) {
      throw new Error(
        `Nothing was built: ${missing.join(" and ")} is missing. ` +
          "The checkout is not complete; fetch it again.",
      );
    }
    const sources = await readSources(root);
    const { files } = await bundle(root);
    if (types) files.push(...(await declarations(root)));
    await replaceDist(root, files, sources);
    await writeHelpTags(root);
  });
}

export async function buildWhenStale(options) {
  if (!(await isStale(options?.root))) return;
  say("Building dist/.");
  await build(options);
}

/** Whether dist/ is missing, incomplete, or built from other sources than the current ones. */
export async function isStale(root = projectRoot) {
  const record = await readRecord(root);
  if (!record || record.outputs.some((path) => !existsSync(join(root, "dist", path)))) return true;
  return sourcesDiffer(record.sources, root);
}

/** Returns the library's type declarations if the compiler is installed, which it is not for users. */
export async function declarations(root) {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  if (!existsSync(compiler)) return [];
  await mkdir(cacheFolder, { recursive: true });
  const folder = await mkdtemp(join(cacheFolder, "types-"));
  try {
    const project = join(root, "scripts", "tsconfig.types.json");
    const args = [compiler, "-p", project, "--outDir", folder];
    const { code, stdout } = await run(process.execPath, args, { cwd: root });
    if (code !== 0) say(`The types in dist/types have mistakes, the code was built:\n${stdout}`);
    const entries = await readdir(folder, { recursive: true });
    const paths = entries.filter((path) => path.endsWith(".d.ts"));
    return await Promise.all(
      paths.map(async (path) => ({
        path: `types/${path.replaceAll("\\", "/")}`,
        text: await readFile(join(folder, path), "utf8"),
      })),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Moves the new files into place one by one: imported files first, the record last. Chunks have their
 * content's hash in their name, and those of the previous build are kept, because a running host may
 * still import them.
 */
async function replaceDist(root, files, sources) {
  const dist = join(root, "dist");
  const before = (await readRecord(root))?.outputs.filter((path) => path.startsWith("chunks/"));
  const isEntry = ({ path }) => !path.includes("/");
  const inOrder = [...files.filter((file) => !isEntry(file)), ...files.filter(isEntry)];
  for (const file of inOrder) {
    await writeWhole(join(dist, file.path), file.text, executables.has(file.path));
  }
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const outputs = inOrder.map(({ path }) => path);
  const record = { version, node: process.versions.node, sources, outputs };
  await writeWhole(join(dist, "build.json"), `${JSON.stringify(record, null, 1)}\n`);
  await removeOthers(dist, new Set(["build.json", ...outputs, ...(before ?? [])]));
}

/**
 * Writes help tags, for plugin managers that do not run `:helptags` and for folders that are only on the runtimepath.
 */
async function writeHelpTags(root) {
  const path = "doc/parley.txt";
  const text = await readFile(join(root, path), "utf8").catch(() => undefined);
  if (text !== undefined) await writeWhole(join(root, "doc", "tags"), helpTags([{ path, text }]));
}

async function writeWhole(path, text, isExecutable = false) {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.new`;
  await writeFile(temporary, text);
  if (isExecutable) await chmod(temporary, 0o755);
  await rename(temporary, path);
}

async function removeOthers(dist, wanted) {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const name = relative(dist, path).replaceAll("\\", "/");
    if (!wanted.has(name)) await rm(path, { force: true });
  }
}

async function readRecord(root) {
  try {
    return JSON.parse(await readFile(join(root, "dist", "build.json"), "utf8"));
  } catch {
    return undefined;
  }
}
