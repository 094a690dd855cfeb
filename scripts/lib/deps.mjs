import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { withLock } from "./lock.mjs";
import { cacheFolder, projectRoot } from "./paths.mjs";
import { run } from "./run.mjs";
import { say } from "./say.mjs";

/**
 * Installs the dependencies when they are missing or do not match package-lock.json. npm writes its list of
 * installed packages last, so an interrupted install counts as missing and a manual one as done.
 */
export async function installDependencies({ production = false } = {}) {
  if (await areInstalled({ production })) return;
  await withLock(join(cacheFolder, "install.lock"), async () => {
    if (await areInstalled({ production })) return;
    say("Installing dependencies with npm ci.");
    const { code, stderr } = await runNpm(["ci", ...(production ? forUsers : forDevelopers)]);
    if (code !== 0) throw new Error(npmFailure(code, stderr));
  });
}

const forDevelopers = ["--no-audit", "--no-fund"];

/** No bundled package needs an install script. Only one retry, so that a waiting user soon hears of a failure. */
const forUsers = [
  ...[...forDevelopers, "--omit=dev", "--ignore-scripts", "--fetch-retries=1"],
  ...["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000", "--fetch-timeout=60000"],
];

/** Runs npm like `run` does: the npm next to this Node, else the one on PATH. */
export async function runNpm(args, options = {}) {
  const folder = dirname(process.execPath);
  const script = ["node_modules", join("..", "lib", "node_modules")]
    .map((modules) => join(folder, modules, "npm", "bin", "npm-cli.js"))
    .find(existsSync);
  const all = { cwd: projectRoot, ...options };
  if (script) return run(process.execPath, [script, ...args], all);
  const isWindows = process.platform === "win32";
  // Node can start a .cmd file only through a shell; every argument here is our own.
  return run(isWindows ? "npm.cmd" : "npm", args, { ...all, shell: isWindows });
}

/** Returns npm's error message, without the path of its log. */
export function npmFailure(code, stderr) {
  if (code === 127) {
    return (
      `npm is neither beside ${process.execPath} nor on PATH, so nothing was built. ` +
      "It comes with Node (https://nodejs.org)."
    );
  }
  const lines = stderr
    .split("\n")
    .flatMap((line) => line.match(/^npm (?:error|ERR!) (.+)/)?.[1] ?? []);
  const name = lines.map((line) => /^code (\w+)/.exec(line)?.[1]).find(Boolean);
  const words = lines.filter(
    (line) => !/^(code|syscall|errno|path) |^ +at |log of this run/.test(line),
  );
  const sentence = words.find((line) => /reason:/.test(line)) ?? words[0];
  const reason = [name, sentence].filter(Boolean).join(": ") || `it ended with code ${code}`;
  return `npm ci failed, so nothing was built: ${reason}`;
}

export async function areInstalled({ production = false, root = projectRoot } = {}) {
  const wanted = await readPackages(join(root, "package-lock.json"));
  const installed = await readPackages(join(root, "node_modules", ".package-lock.json"));
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    // Optional packages are for other platforms.
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
