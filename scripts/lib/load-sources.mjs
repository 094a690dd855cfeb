// Bundles and imports parts of the TypeScript sources for scripts.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { cacheFolder, projectRoot } from "./paths.mjs";
import { programTexts } from "./program-text.mjs";

/** @param {string} contents such as `export { vendors } from "./src/providers/vendors/vendors.ts"` */
export async function loadSources(contents) {
  // Inside the project, so that packages that are not bundled are found in node_modules.
  const outfile = join(cacheFolder, `sources-${process.pid}.mjs`);
  await mkdir(cacheFolder, { recursive: true });
  await build({
    stdin: { contents, resolveDir: projectRoot, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    plugins: [programTexts],
    outfile,
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(outfile, { force: true });
  }
}
