// The Neovims that run on this machine, and how their Parley is told of a new build.
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNeovim } from "./nvim.mjs";
import { projectRoot } from "./paths.mjs";
import { run } from "./run.mjs";

/** Empty where Parley is not loaded, or is another copy than the one in the folder `_A`. */
const restart = `(function(folder)
  if not package.loaded["parley.host"] then return "" end
  local own = vim.uv.fs_realpath(require("parley.host.paths").root())
  if folder ~= "" and own ~= vim.uv.fs_realpath(folder) then return "" end
  require("parley.host").restart()
  return "the host was started again"
end)(_A)`;

/**
 * Restarts the host in the Neovim at `address`, in the one whose terminal this is, or in those of `find` that run this
 * checkout: a release in another Neovim may be in the middle of an answer.
 * Gives back a sentence for each where it was done, or that cannot be reached though it was named.
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

/** Where Neovim puts its sockets: $XDG_RUNTIME_DIR, or a folder of the user's below the temporary one. */
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

/** A string of Vim's, which takes everything but a quote as it is. */
function quoted(text) {
  return `'${text.replaceAll("'", "''")}'`;
}
