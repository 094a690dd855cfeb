// The Neovims that run on this machine, and how their Parley is told of a new build.
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNeovim } from "./nvim.mjs";
import { run } from "./run.mjs";

const restart = `(function()
  if not package.loaded["parley.host"] then return "" end
  require("parley.host").restart()
  return "the host was started again"
end)()`;

/**
 * Restarts the host in the Neovim at `address`, in the one whose terminal this is, or in all that are found.
 * Gives back a sentence for each that has Parley loaded, or cannot be reached though it was named.
 * @returns {Promise<{ name: string, said: string }[]>}
 */
export async function restartHosts(address = process.env.NVIM) {
  const neovim = await findNeovim();
  const names = address ? [address] : await addresses();
  const answers = await Promise.all(
    names.map(async (name) => {
      const args = ["--server", name, "--remote-expr", `luaeval(${quoted(restart)})`];
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
