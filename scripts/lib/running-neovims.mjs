// Finds the running Neovims on this machine and restarts their Parley hosts after a build.
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNeovim } from "./nvim.mjs";
import { projectRoot } from "./paths.mjs";
import { run } from "./run.mjs";

/** Returns an empty string when Parley is not loaded, or is not the copy in the folder `_A`. */
const restart = `(function(folder)
  if not package.loaded["parley.host"] then return "" end
  local own = vim.uv.fs_realpath(require("parley.host.paths").root())
  if folder ~= "" and own ~= vim.uv.fs_realpath(folder) then return "" end
  require("parley.host").restart()
  return "the host was started again"
end)(_A)`;

/**
 * Restarts the host in the Neovim at `address`, in the one this terminal belongs to, or in those from `find` that run
 * this checkout; a released copy in another Neovim may be in the middle of an answer. Returns a sentence for each
 * restart, or when the given Neovim cannot be reached.
 * @returns {Promise<{ name: string, said: string }[]>}
 */
export async function restartHosts(address = process.env.NVIM, find = addresses) {
  const neovim = await findNeovim();
  const names = address ? [address] : await find();
  const folder = address ? "" : projectRoot;
  const expression = `luaeval(${quoted(restart)}, ${quoted(folder)})`;
  const answers = await Promise.all(
    names.map(async (name) => {
      const args = ["--server", name, "--remote-expr", expression];
      const { code, stdout, stderr } = await run(neovim.path, args);
      if (code === 0) return { name, said: stdout.trim() };
      return { name, said: address ? `cannot be reached: ${stderr.trim()}` : "" };
    }),
  );
  return answers.filter(({ said }) => said !== "");
}

/** Returns Neovim's sockets, which are in $XDG_RUNTIME_DIR or in the user's folder below the temporary folder. */
async function addresses() {
  if (process.platform === "win32") return [];
  const own = join(process.env.TMPDIR ?? tmpdir(), `nvim.${process.env.USER ?? "root"}`);
  const folders = [process.env.XDG_RUNTIME_DIR, own].filter(Boolean);
  const found = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(folder, { recursive: true }).catch(() => []);
      const sockets = entries.filter((path) => /(^|\/)nvim\.\d+\.\d+$/.test(path));
      return sockets.map((path) => join(folder, path));
    }),
  );
  return [...new Set(found.flat())];
}

/** Returns a Vim string literal, in which only quotes must be escaped. */
function quoted(text) {
  return `'${text.replaceAll("'", "''")}'`;
}
