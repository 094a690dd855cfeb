import { copyFile, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { neovimEnvironment } from "./nvim.mjs";
import { projectRoot } from "./paths.mjs";

/** What Neovim is started with, so that it reads the demo's setup and no other. */
export const demoArguments = ["-u", join(projectRoot, "scripts", "demo", "init.lua")];

/**
 * A folder of the demo's own with a copy of the sample chat in the place where chats are by default,
 * and the environment in which Neovim reads and writes nothing outside of it.
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
