import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "./paths.mjs";

/** The files dist/ is built from, in addition to everything under src/. */
const buildInputs = [
  "package.json",
  "package-lock.json",
  "scripts/build.mjs",
  "scripts/lib/build.mjs",
  "scripts/lib/bundle.mjs",
  "scripts/lib/common-js.mjs",
  "scripts/stubs/winston.mjs",
  "scripts/stubs/zod-locales.mjs",
];

/** Returns every file dist/ is built from, by relative path, with the data that shows whether it changed. */
export async function readSources(root = projectRoot) {
  const sources = {};
  for (const path of await sourcePaths(root)) {
    const { size, mtimeMs } = await stat(join(root, path));
    sources[path] = { size, mtimeMs: Math.trunc(mtimeMs), hash: await hashOf(join(root, path)) };
  }
  return sources;
}

/** Compares contents only when the time differs, as after a fresh checkout. */
export async function sourcesDiffer(recorded, root = projectRoot) {
  const paths = await sourcePaths(root);
  if (paths.length !== Object.keys(recorded).length) return true;
  for (const path of paths) {
    const before = recorded[path];
    const now = await stat(join(root, path));
    if (!before || before.size !== now.size) return true;
    const sameTime = before.mtimeMs === Math.trunc(now.mtimeMs);
    if (!sameTime && before.hash !== (await hashOf(join(root, path)))) return true;
  }
  return false;
}

async function sourcePaths(root) {
  const entries = await readdir(join(root, "src"), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const fromRoot = paths.map((path) => path.slice(root.length + 1).replaceAll("\\", "/"));
  return [...fromRoot.sort(), ...buildInputs];
}

async function hashOf(path) {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex")
    .slice(0, 16);
}
