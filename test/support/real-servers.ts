/** Scripts of the servers that people use. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const script = (manifest: string) => join(dirname(manifest), "dist", "index.js");

export const filesystemServer = script(
  require.resolve("@modelcontextprotocol/server-filesystem/package.json"),
);
export const memoryServer = script(
  require.resolve("@modelcontextprotocol/server-memory/package.json"),
);
export const everythingServer = script(
  require.resolve("@modelcontextprotocol/server-everything/package.json"),
);
