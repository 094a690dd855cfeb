import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { installNeovim } from "./nvim-install.mjs";
import { cacheFolder, projectRoot } from "./paths.mjs";
import { run } from "./run.mjs";
import { say } from "./say.mjs";

const { neovim } = JSON.parse(readFileSync(join(projectRoot, "scripts", "supported.json"), "utf8"));

/** The oldest and the newest supported minor version; the tests run on both. */
const supportedVersions = neovim.map((version) => version.split(".").slice(0, 2).join("."));

/** The versions that `npm test` runs on: `$PARLEY_TEST_VERSIONS`, such as `0.11,nightly`, or the two above. */
const testedVersions = process.env.PARLEY_TEST_VERSIONS?.split(",") ?? supportedVersions;

const howToInstall =
  "Install Neovim 0.10 or newer (https://neovim.io), or set PARLEY_NVIM to the path of one.";

/** Returns a Neovim to run Parley in: the user's choice, the machine's, or one in the project's cache. */
export async function findNeovim() {
  const chosen = process.env.PARLEY_NVIM;
  if (chosen) {
    const found = await inspect(chosen);
    if (found && isRecentEnough(found.version)) return found;
    const seen = found ? `is Neovim ${found.version}` : "does not run";
    throw new Error(`PARLEY_NVIM names ${chosen}, which ${seen}. ${howToInstall}`);
  }
  const installed = await fromPath();
  if (installed && isRecentEnough(installed.version)) return installed;
  const reasons = [];
  for (const wanted of supportedVersions.toReversed()) {
    try {
      return await cachedOrFetched(wanted);
    } catch (error) {
      reasons.push(error.message);
    }
  }
  throw new Error(
    `No Neovim was found and none could be fetched. ${reasons.join(" ")} ${howToInstall}`,
  );
}

/**
 * Returns the Neovim versions to test on. Installed ones are used, others are fetched; those that cannot be fetched are
 * in `missing` with the reason.
 */
export async function neovimsForTests() {
  const there = [await inspect(process.env.PARLEY_NVIM), await fromPath()].filter(Boolean);
  const neovims = [];
  const missing = [];
  for (const wanted of testedVersions) {
    try {
      const own = there.find(({ version }) => matches(version, wanted));
      neovims.push(own ?? (await cachedOrFetched(wanted)));
    } catch (error) {
      missing.push({ version: wanted, reason: error.message });
    }
  }
  return { neovims, missing };
}

/** Returns the newest Neovim that is already installed, or undefined. */
export async function presentNeovim() {
  const found = [await inspect(process.env.PARLEY_NVIM), await fromPath()];
  for (const wanted of supportedVersions.toReversed()) found.push(await fromCache(wanted));
  return found.find((neovim) => neovim && isRecentEnough(neovim.version));
}

const folder = join(cacheFolder, "nvim");

async function cachedOrFetched(wanted) {
  const cached = await fromCache(wanted);
  if (cached) return cached;
  say(`Fetching Neovim ${wanted} into ${folder}; this happens once.`);
  await installNeovim(wanted, folder, () => fromCache(wanted));
  const fetched = await fromCache(wanted);
  if (fetched) return fetched;
  throw new Error(`Neovim ${wanted} was fetched but does not start on this machine.`);
}

async function fromCache(wanted) {
  const entries = await readdir(folder).catch(() => []);
  const isWanted = (name) => name === wanted || matches(name, wanted);
  const versions = entries.filter(
    (name) => /^(\d+\.\d+\.\d+|nightly)$/.test(name) && isWanted(name),
  );
  for (const version of versions.sort(compareVersions).reverse()) {
    const names = [join(version, "nvim"), join(version, "bin", "nvim.exe")];
    const path = names.map((name) => join(folder, name)).find(existsSync);
    const found = path && (await inspect(path));
    if (found) return found;
  }
  return undefined;
}

async function fromPath() {
  const name = process.platform === "win32" ? "nvim.exe" : "nvim";
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const path = folders.map((folder) => join(folder, name)).find(existsSync);
  return path && inspect(path);
}

/** Returns the version of a Neovim, or undefined when it does not run. */
async function inspect(path) {
  if (!path) return undefined;
  const { code, stdout } = await run(path, ["--version"], { env: neovimEnvironment() });
  const version = /^NVIM v(\d+\.\d+\.\d+)/m.exec(stdout)?.[1];
  return code === 0 && version ? { version, path } : undefined;
}

/** Returns the environment without the variables of a surrounding Neovim, whose runtime fits no other version. */
export function neovimEnvironment(extra = {}) {
  const { VIM, VIMRUNTIME, NVIM, NVIM_APPNAME, NVIM_LISTEN_ADDRESS, ...rest } = process.env;
  return { ...rest, ...extra };
}

function matches(version, wanted) {
  return version.startsWith(`${wanted}.`);
}

function isRecentEnough(version) {
  return compareVersions(version, `${supportedVersions[0]}.0`) >= 0;
}

function compareVersions(left, right) {
  const [a, b] = [left, right].map((version) => version.split(".").map(Number));
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
