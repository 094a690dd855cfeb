import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface BuiltServer {
  readonly command: string;
  readonly args: readonly string[];
  remove(): Promise<void>;
}

/** Bundles the mock server from the sources as they are, so that a test never runs a stale dist/. */
export async function buildMockServer(): Promise<BuiltServer> {
  const folder = await mkdtemp(join(tmpdir(), "parley-mock-"));
  const outfile = join(folder, "mock-server.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("../../src/mcp/mock/mock-server.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "silent",
  });
  return {
    command: process.execPath,
    args: [outfile],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
