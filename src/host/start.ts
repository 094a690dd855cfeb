/**
 * dist/host.js: `node dist/host.js`, started by Lua, or loaded by Neovim's own node host through rplugin/node/parley.
 * Loads the host with the compiled code of earlier starts.
 */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { NeovimClient } from "neovim";
import "../system/start/zod-at-start.ts";
import { loadProgram } from "../system/start/load-program.ts";

const { program, keepCode } = loadProgram<typeof import("./main.ts")>("host", import.meta.url);

/** Serves the stock node host's connection; used by rplugin/node/parley/index.js. */
export async function serveStock(nvim: NeovimClient): Promise<void> {
  await program.serveStock(nvim, keepCode);
}

function isMain(): boolean {
  const script = process.argv[1];
  const own = fileURLToPath(import.meta.url);
  // With --preserve-symlinks-main, the script's path is a link to this file.
  return script !== undefined && realpathSync(script) === realpathSync(own);
}

if (isMain()) {
  program.main(keepCode);
  process.once("exit", keepCode);
}
