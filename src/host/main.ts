/**
 * Entry of the host: `node dist/host.js`, started by Lua, or loaded by Neovim's own node host through
 * rplugin/node/parley. Everything else is imported after the console is out of the way.
 */
import "./console-guard.ts";
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { NeovimClient } from "neovim";

/** Serves the stock node host's connection; used by rplugin/node/parley/index.js. */
export async function serveStock(nvim: NeovimClient): Promise<void> {
  const { endWithNeovim, serve } = await import("./serve.ts");
  const host = await serve(nvim, { ownProcess: false });
  endWithNeovim(() => host.close());
}

async function main(): Promise<void> {
  const [{ takeNodeWarnings }, { log }] = await Promise.all([
    import("../system/node-warnings.ts"),
    import("./log.ts"),
  ]);
  takeNodeWarnings((line) => log.warn(line));
  const { connect } = await import("./serve.ts");
  await connect();
}

function isMain(): boolean {
  const script = process.argv[1];
  return script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url);
}

if (isMain()) {
  main().catch((error: unknown) => {
    console.error(`Parley's host could not start: ${error instanceof Error ? error.stack : error}`);
    process.exit(1);
  });
}
