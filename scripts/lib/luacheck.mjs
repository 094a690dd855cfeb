import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { downloadPackages, readArchiveEntry, unpackPackages } from "./apt.mjs";
import { withLock } from "./lock.mjs";
import { neovimEnvironment } from "./nvim.mjs";
import { cacheFolder, projectRoot } from "./paths.mjs";
import { run } from "./run.mjs";
import { say } from "./say.mjs";

const folder = join(cacheFolder, "luacheck");

/**
 * Lints Lua files. If the machine has no luacheck and cannot get one, `missing` says so and `isExpected` says whether
 * such a machine should have it: luacheck is fetched only from Debian's archive. Without `mayFetch` only an existing
 * luacheck is used.
 */
export async function runLuacheck(neovim, paths, { mayFetch }) {
  const options = { cwd: projectRoot, env: neovimEnvironment() };
  const args = ["--no-color", "--quiet", ...paths];
  const installed = await run("luacheck", ["--version"]);
  if (installed.code === 0) return run("luacheck", args, options);
  try {
    if (!neovim) throw new Error("There is no Neovim to run it in.");
    if (!existsSync(folder) && !mayFetch) throw new Error("npm test fetches it.");
    await fetchLuacheck();
  } catch (error) {
    const isExpected = (await readArchiveEntry()) !== undefined;
    const missing = `luacheck could not be had: ${error.message} Install it, or rely on CI.`;
    return { missing, isExpected };
  }
  const script = join(projectRoot, "scripts", "lib", "luacheck.lua");
  return run(neovim.path, ["--clean", "-l", script, folder, ...args], options);
}

async function fetchLuacheck() {
  await withLock(`${folder}.lock`, async () => {
    if (existsSync(folder)) return;
    const entry = await readArchiveEntry();
    if (!entry) throw new Error("This machine has no Debian archive to take it from.");
    say(`Fetching luacheck into ${folder}; this happens once.`);
    await mkdir(cacheFolder, { recursive: true });
    const temporary = await mkdtemp(`${folder}-`);
    try {
      const packages = ["lua-check", "lua-argparse", "lua-filesystem"];
      const archives = await downloadPackages({ entry, packages, folder: join(temporary, "apt") });
      await unpackPackages(archives, join(temporary, "root"));
      await rename(join(temporary, "root"), folder);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });
}
