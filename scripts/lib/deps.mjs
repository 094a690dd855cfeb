import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "./lock.mjs";
import { cacheFolder, projectRoot } from "./paths.mjs";
import { runLoudly } from "./run.mjs";
import { say } from "./say.mjs";

/**
 * Installs the dependencies when they are missing or are not those of package-lock.json.
 * npm keeps a list of what it installed and writes it last, so an install that was cut off counts
 * as missing and one made by hand counts as done.
 */
export async function installDependencies({ production = false } = {}) {
  if (await areInstalled({ production })) return;
  await withLock(join(cacheFolder, "install.lock"), async () => {
    if (await areInstalled({ production })) return;
    say("Installing dependencies with npm ci.");
    const flags = production ? ["--omit=dev"] : [];
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const args = ["ci", "--no-audit", "--no-fund", ...flags];
    // Node starts a .cmd file only through a shell; every argument here is our own.
    const shell = process.platform === "win32";
    const code = await runLoudly(npm, args, { cwd: projectRoot, shell });
    if (code !== 0) {
      throw new Error(
        `\`npm ci\` failed with code ${code}, so nothing was built. Its reason stands above; ` +
          "mend that (often the network or the Node version) and run the same command again.",
      );
    }
  });
}

export async function areInstalled({ production = false, root = projectRoot } = {}) {
  const wanted = await readPackages(join(root, "package-lock.json"));
  const installed = await readPackages(join(root, "node_modules", ".package-lock.json"));
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    // Optional packages are those of other platforms.
    const isNeeded = path && !entry.optional && !entry.devOptional && !(production && entry.dev);
    return !isNeeded || installed[path]?.integrity === entry.integrity;
  });
}

async function readPackages(path) {
  try {
    return JSON.parse(await readFile(path, "utf8")).packages;
  } catch {
    return undefined;
  }
}
