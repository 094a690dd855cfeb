// `npm run docs` writes what is generated: the tables of doc/vendors.md from the vendors; and from the table of
// options the list in doc/parley.txt, the JSON schema of config.json, and what Lua knows of them; from the table of
// keys the one of Lua; from the schemas of messages their classes.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { keyTable } from "./lib/key-table.mjs";
import { messageTypes } from "./lib/message-types.mjs";
import { configurationSchema, helpPage, luaOptions } from "./lib/options-pages.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { vendorsPage } from "./lib/vendors-page.mjs";

const bundled = await build({
  stdin: {
    contents: `
      export { z } from "zod";
      export { valuesSchema } from "./src/app/configuration/check-values.ts";
      export { options } from "./src/app/configuration/options.ts";
      export { keyPresets, keyRows } from "./src/conversation/keys.ts";
      export { luaMessage } from "./src/host/protocol.ts";
      export { vendors } from "./src/providers/vendors/vendors.ts";`,
    resolveDir: projectRoot,
    loader: "ts",
  },
  bundle: true,
  format: "esm",
  platform: "node",
  write: false,
});
const [{ text }] = bundled.outputFiles;
const { z, valuesSchema, options, vendors, keyPresets, keyRows, luaMessage } = await import(
  `data:text/javascript,${encodeURIComponent(text)}`
);

async function change(path, pageOf) {
  const file = join(projectRoot, path);
  const page = await readFile(file, "utf8").catch(() => "");
  await writeFile(file, pageOf(page));
}

const schema = configurationSchema(z, valuesSchema, options);
await change("doc/vendors.md", (page) => vendorsPage(page, vendors.values()));
await change("doc/parley.txt", (page) => helpPage(page, schema, options));
await change("doc/config.schema.json", () => `${JSON.stringify(schema, null, 2)}\n`);
await change("lua/parley/config/options.lua", () => luaOptions(schema, options));
await change("lua/parley/config/key_table.lua", () => keyTable({ keyRows, keyPresets }));
const messages = z.toJSONSchema(luaMessage, { io: "input" });
await change("lua/parley/host/messages.lua", () => messageTypes(messages));
