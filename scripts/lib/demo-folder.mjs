import { copyFile, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { neovimEnvironment } from "./nvim.mjs";
import { projectRoot } from "./paths.mjs";

/** Arguments for Neovim, so that it reads only the demo's configuration. */
export const demoArguments = ["-u", join(projectRoot, "scripts", "demo", "init.lua")];

/**
 * Creates a folder for the demo with a copy of the sample chat in the default chat folder, and an environment in
 * which Neovim reads and writes nothing outside of it.
 */
export async function prepareDemo() {
  const folder = await mkdtemp(join(tmpdir(), "parley-demo-"));
  const chats = join(folder, "data", process.platform === "win32" ? "nvim-data" : "nvim", "parley");
  await mkdir(chats, { recursive: true });
  const chat = join(chats, "stock-prices.md");
  await copyFile(join(projectRoot, "scripts", "demo", "sample.md"), chat);
  const env = neovimEnvironment({
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_DATA_HOME: join(folder, "data"),
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CACHE_HOME: join(folder, "cache"),
    XDG_CONFIG_DIRS: join(folder, "none"),
    XDG_DATA_DIRS: join(folder, "none"),
    PARLEY_DEMO_NODE: process.execPath,
  });
  return { folder, chat, env };
}
