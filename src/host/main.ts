/** The host's start. Everything else is imported after the console is redirected. */
import "./console-guard.ts";
import type { NeovimClient } from "neovim";

/** Serves the connection of Neovim's own node host. `keepCode` is called when the host is idle. */
export async function serveStock(nvim: NeovimClient, keepCode: () => void): Promise<void> {
  const { endWithNeovim, serve } = await import("./serve.ts");
  const host = await serve(nvim, { ownProcess: false, keepCode });
  endWithNeovim(() => host.close());
}

async function begin(keepCode: () => void): Promise<void> {
  const [{ takeNodeWarnings }, { log }] = await Promise.all([
    import("../system/start/node-warnings.ts"),
    import("./log.ts"),
  ]);
  takeNodeWarnings((line) => log.warn(line));
  const { connectToNeovim } = await import("./serve.ts");
  await connectToNeovim(keepCode);
}

/** Serves stdin and stdout. */
export function main(keepCode: () => void): void {
  begin(keepCode).catch((error: unknown) => {
    console.error(`Parley's host could not start: ${error instanceof Error ? error.stack : error}`);
    process.exit(1);
  });
}
