// `npm run docs` regenerates files: the tables of doc/vendors.md from the vendors; the option list in doc/parley.txt,
// the JSON schema of config.json and the Lua option tables from the options; Lua's key table from the keys; Lua classes
// from the messages; and the badges of README.md. `--check` writes nothing and fails when a file is out of date, or
// when Lua sends or handles messages that are not in the tables.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { badges } from "./lib/badges.mjs";
import { keyTable } from "./lib/key-table.mjs";
import { loadSources } from "./lib/load-sources.mjs";
import { wireMistakes } from "./lib/lua-wire.mjs";
import { messageTypes, wireSchemas } from "./lib/message-types.mjs";
import { configurationSchema, helpPage, luaOptions, luaOptionTypes } from "./lib/options-pages.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { vendorsPage } from "./lib/vendors-page.mjs";

const contents = `
  export { z } from "zod";
  export { valuesSchema } from "./src/app/configuration/check-values.ts";
  export { options } from "./src/app/configuration/options.ts";
  export { keyPresets, keyRows } from "./src/conversation/keys.ts";
  export { luaCalls } from "./src/host/lua-calls.ts";
  export { messages } from "./src/host/messages.ts";
  export { vendors } from "./src/providers/vendors/vendors.ts";`;

const { z, valuesSchema, options, vendors, keyPresets, keyRows, luaCalls, messages } =
  await loadSources(contents);
const isCheck = process.argv.includes("--check");

async function change(path, pageOf) {
  const file = join(projectRoot, path);
  const page = await readFile(file, "utf8").catch(() => "");
  const written = pageOf(page);
  if (written === page) return;
  if (isCheck) return fail(`${path} is not as npm run docs writes it.`);
  await writeFile(file, written);
}

function fail(sentence) {
  console.log(sentence);
  process.exitCode = 1;
}

/** Returns the texts of all Lua files of the plugin, by path. */
async function luaFiles() {
  const paths = await readdir(join(projectRoot, "lua"), { recursive: true });
  const own = paths.filter((path) => path.endsWith(".lua"));
  const read = own.map(async (path) => [
    `lua/${path.replaceAll("\\", "/")}`,
    await readFile(join(projectRoot, "lua", path), "utf8"),
  ]);
  return new Map(await Promise.all(read));
}

const schema = configurationSchema(z, valuesSchema, options);
await change("doc/vendors.md", (page) => vendorsPage(page, vendors.values()));
await change("doc/parley.txt", (page) => helpPage(page, schema, options, keyRows));
await change("doc/config.schema.json", () => `${JSON.stringify(schema, null, 2)}\n`);
await change("lua/parley/config/options.lua", () => luaOptions(schema, options));
await change("lua/parley/config/types.lua", () => luaOptionTypes(schema));
await change("lua/parley/config/key_table.lua", () => keyTable({ keyRows, keyPresets }));
const json = async (path) => JSON.parse(await readFile(join(projectRoot, path), "utf8"));
const facts = {
  supported: await json("scripts/supported.json"),
  manifest: await json("package.json"),
};
await mkdir(join(projectRoot, "doc", "badges"), { recursive: true });
for (const [name, picture] of Object.entries(badges(facts))) {
  await change(`doc/badges/${name}.svg`, () => picture);
}
const wire = wireSchemas(z, messages, luaCalls);
await change("lua/parley/host/messages.lua", () => messageTypes(wire));
if (isCheck) for (const mistake of wireMistakes(await luaFiles(), wire)) fail(mistake);
