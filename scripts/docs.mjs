// `npm run docs` writes the tables of doc/vendors.md anew from the vendor table.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { projectRoot } from "./lib/paths.mjs";
import { vendorsPage } from "./lib/vendors-page.mjs";

const bundled = await build({
  entryPoints: [join(projectRoot, "src/providers/vendors/vendors.ts")],
  bundle: true,
  format: "esm",
  platform: "node",
  write: false,
});
const [{ text }] = bundled.outputFiles;
const { vendors } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
const path = join(projectRoot, "doc/vendors.md");
await writeFile(path, vendorsPage(await readFile(path, "utf8"), vendors.values()));
