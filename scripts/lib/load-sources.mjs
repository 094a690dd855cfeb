// What scripts take from the sources: an entry of TypeScript is bundled and imported.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { cacheFolder, projectRoot } from "./paths.mjs";
import { programTexts } from "./program-text.mjs";

/** @param {string} contents such as `export { vendors } from "./src/providers/vendors/vendors.ts"` */
export async function loadSources(contents) {
  // Below node_modules' folder, so that what is not bundled is found.
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
