import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { downloadPackages, readArchiveEntry, unpackPackages } from "./apt.mjs";
import { withLock } from "./lock.mjs";
import { cacheFolder } from "./paths.mjs";
import { run, runOrFail } from "./run.mjs";

/** Where each supported version is available: the Debian suite that has it, and the release. */
const sources = {
  "0.10": { suite: "trixie", release: "0.10.4" },
  0.11: { release: "0.11.5" },
  0.12: { suite: "forky", release: "0.12.4" },
  nightly: { release: "nightly" },
};

const releases = "https://github.com/neovim/neovim/releases/download";

const releaseArchives = {
  "linux-x64": "nvim-linux-x86_64.tar.gz",
  "linux-arm64": "nvim-linux-arm64.tar.gz",
  "darwin-x64": "nvim-macos-x86_64.tar.gz",
  "darwin-arm64": "nvim-macos-arm64.tar.gz",
  "win32-x64": "nvim-win64.zip",
};

const loaders = {
  x64: { name: "ld-linux-x86-64.so.2", triplet: "x86_64-linux-gnu" },
  arm64: { name: "ld-linux-aarch64.so.1", triplet: "aarch64-linux-gnu" },
};

/** Fetches a Neovim into the cache, unless `findExisting` shows that another process did so meanwhile. */
export async function installNeovim(wanted, folder, findExisting) {
  await withLock(join(folder, "lock"), async () => {
    if (await findExisting()) return;
    const reasons = [];
    for (const install of [installFromDebian, installFromRelease]) {
      const temporary = await mkdtemp(join(folder, "fetching-"));
      try {
        return await install({ wanted, folder, temporary });
      } catch (error) {
        reasons.push(error.message);
      } finally {
        await rm(temporary, { recursive: true, force: true });
      }
    }
    throw new Error(`Neovim ${wanted} could not be fetched: ${reasons.join(" ")}`);
  });
}

async function installFromDebian({ wanted, folder, temporary }) {
  const entry = await readArchiveEntry();
  const loader = loaders[process.arch];
  if (!entry || !loader || !sources[wanted].suite)
    throw new Error("This machine has no Debian archive to take it from.");
  const patchelf = await fetchPatchelf(entry);
  const archives = await downloadPackages({
    ...{ entry, suite: sources[wanted].suite, packages: ["neovim"], closure: true },
    folder: join(temporary, "apt"),
  });
  const version = archives.map((path) => /\/neovim_(\d+\.\d+\.\d+)/.exec(path)?.[1]).find(Boolean);
  if (!version?.startsWith(`${wanted}.`)) {
    throw new Error(`Debian ${sources[wanted].suite} has Neovim ${version}, not ${wanted}.`);
  }
  const root = join(temporary, "root");
  await unpackPackages(archives, root);
  const home = join(folder, version);
  await useOwnLibraries({ patchelf, root, home, loader });
  await moveIntoPlace(root, home, join("usr", "bin", "nvim"));
}

/**
 * Makes the binary use its own libc and libraries instead of the machine's older ones. The search path must be the old
 * kind (DT_RPATH), which also applies to the libraries' own dependencies.
 */
async function useOwnLibraries({ patchelf, root, home, loader: { name, triplet } }) {
  const library = ["usr/lib", "lib"]
    .map((folder) => join(folder, triplet))
    .find((path) => existsSync(join(root, path, name)));
  if (!library) throw new Error(`The libc that came with Neovim has no ${name}.`);
  await runOrFail(patchelf, [
    ...["--set-interpreter", join(home, library, name)],
    ...["--force-rpath", "--set-rpath", join(home, library)],
    join(root, "usr", "bin", "nvim"),
  ]);
}

async function fetchPatchelf(entry) {
  const folder = join(cacheFolder, "patchelf");
  const path = join(folder, "usr", "bin", "patchelf");
  if ((await run(path, ["--version"])).code === 0) return path;
  const temporary = await mkdtemp(join(cacheFolder, "patchelf-"));
  try {
    const packages = await downloadPackages({
      entry,
      packages: ["patchelf"],
      folder: join(temporary, "apt"),
    });
    await unpackPackages(packages, join(temporary, "root"));
    await rm(folder, { recursive: true, force: true });
    await rename(join(temporary, "root"), folder);
    return path;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

export async function installFromRelease({ wanted, folder, temporary, address = releases }) {
  if (!(wanted in sources)) throw new Error(`Neovim ${wanted} is none that Parley knows.`);
  const { release } = sources[wanted];
  const name = releaseArchives[`${process.platform}-${process.arch}`];
  if (!name)
    throw new Error(`There is no release archive for ${process.platform} on ${process.arch}.`);
  const url = `${address}/${release === wanted ? release : `v${release}`}/${name}`;
  const response = await fetch(url).catch((error) => {
    throw new Error(`${url} could not be reached (${error.cause?.message ?? error.message}).`);
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  const archive = join(temporary, name);
  await writeFile(archive, Buffer.from(await response.arrayBuffer()));
  const unpacked = join(temporary, "unpacked");
  await mkdir(unpacked);
  await runOrFail("tar", ["-xf", archive, "-C", unpacked]);
  const [root] = await readdir(unpacked);
  await moveIntoPlace(join(unpacked, root), join(folder, release), join("bin", "nvim"));
}

/** Moves the folder into place atomically, with a short path to the binary for people. */
async function moveIntoPlace(root, home, binary) {
  if (process.platform !== "win32") await symlink(binary, join(root, "nvim"));
  await rm(home, { recursive: true, force: true });
  await rename(root, home);
}
