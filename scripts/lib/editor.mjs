// Starts a Neovim for a script, a benchmark or a test and connects to it.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { attach } from "neovim";
import { cacheFolder } from "./paths.mjs";

const silentLogger = { level: "error", info() {}, warn() {}, error() {}, debug() {} };

/**
 * Starts the Neovim at `path`, embedded.
 * @param {{ path: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd?: string }} options
 */
export function openNeovim({ path, args, env, cwd }) {
  const child = spawn(path, ["--embed", ...args], { cwd, env, stdio: "pipe" });
  let stderr = "";
  // The exit of a Neovim is reported, not the writes that it no longer reads.
  child.stdin.on("error", () => {});
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  const gone = new Promise((resolve) => {
    child.once("exit", resolve);
    child.once("error", resolve);
  });
  // The package's type requires winston's logger; it uses only these five members.
  const client = attach({ proc: child, options: { logger: /** @type {never} */ (silentLogger) } });
  return {
    process: child,
    client,
    /** Returns its stderr so far. */
    stderr: () => stderr,
    /** Resolves when it has exited, for any reason. */
    gone,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null || !child.pid,
  };
}

/**
 * Returns an environment in which Neovim reads and writes nothing outside `home`.
 * @param {string} home
 * @param {Readonly<Record<string, string>>} extra
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentIn(home, extra = {}) {
  const { PATH, TERM } = process.env;
  return {
    PATH,
    TERM: TERM ?? "xterm-256color",
    LANG: "C.UTF-8",
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_DATA_HOME: join(home, "data"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    // Measures the host's later starts, which use cached code, and not the very first one.
    NODE_COMPILE_CACHE: join(cacheFolder, "code"),
    PARLEY_NODE: process.execPath,
    ...extra,
  };
}
