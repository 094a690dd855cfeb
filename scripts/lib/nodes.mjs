// Other versions of Node, from the npm registry.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { npmFailure, runNpm } from "./deps.mjs";
import { cacheFolder } from "./paths.mjs";
import { run } from "./run.mjs";

/** The name of the npm package that contains only Node for this platform. */
const systemName = process.platform === "win32" ? "win" : process.platform;
const packageName = `node-${systemName}-${process.arch}`;

/** Returns the path of that Node, which is kept in .cache/nodes. */
export async function fetchNode(version) {
  const folder = join(cacheFolder, "nodes", version);
  const name = process.platform === "win32" ? "node.exe" : "node";
  const path = join(folder, "node_modules", packageName, "bin", name);
  if (await versionOf(path)) return path;
  await mkdir(folder, { recursive: true });
  const flags = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const install = ["install", ...flags, "--prefix", folder, `${packageName}@${version}`];
  const { code, stderr } = await runNpm(install);
  if (code !== 0) throw new Error(npmFailure(code, stderr));
  return path;
}

/** Returns the version of a Node, or undefined when it does not start. */
export async function versionOf(node) {
  const { code, stdout } = await run(node, ["--version"]);
  return code === 0 ? stdout.trim() : undefined;
}
