// Writes src/providers/prices/prices.json from the data of models.dev: `node scripts/prices.mjs [FILE|URL [TO]]`, by
// default https://models.dev/api.json. Includes only vendors in our own table that need a key, and only models that
// write text. Existing rows of models that are missing there, taken from vendors' own pages, are kept.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadSources } from "./lib/load-sources.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { runMain, say } from "./lib/say.mjs";

const address = "https://models.dev/api.json";
const table = join(projectRoot, "src", "providers", "prices", "prices.json");

await runMain(async ([source = address, to = table]) => {
  const data = JSON.parse(await read(source));
  const { vendors } = await loadSources(
    'export { vendors } from "./src/providers/vendors/vendors.ts";',
  );
  const asked = [...vendors.values()].filter(({ needsKey }) => needsKey);
  const { models: before } = JSON.parse(await readFile(to, "utf8"));
  const models = asked.flatMap(({ id: vendor, models: offered }) => {
    const own = offered.map((id) => [id, before[`${vendor}/${id}`] ?? null]);
    const found = Object.entries(data[vendor]?.models ?? {});
    const rows = new Map([...own, ...found.map(([id, model]) => [id, entryOf(model)])]);
    const priced = [...rows].filter(([, entry]) => entry !== null);
    if (priced.length === 0) throw new Error(`${source} has no models of ${vendor}.`);
    return priced.map(([id, entry]) => [`${vendor}/${id}`, entry]);
  });
  models.sort(([a], [b]) => (a < b ? -1 : 1));
  const newest = models
    .map(([, { updated = "" }]) => updated)
    .reduce((a, b) => (a > b ? a : b), "");
  await writeFile(to, toText(newest, models));
  say(`Wrote ${models.length} models to ${to}.`);
});

/** @param {string} source */
async function read(source) {
  if (!/^https?:/.test(source)) return readFile(source, "utf8");
  const response = await fetch(source);
  if (!response.ok) throw new Error(`${source} answered with status ${response.status}.`);
  return response.text();
}

/** Returns null for models that are not for chat: embeddings, images and speech. */
function entryOf({ limit, cost, modalities, last_updated: updated = "" }) {
  if (!modalities?.output?.includes("text") || !(limit?.context > 0)) return null;
  const tiers = (cost?.tiers ?? []).flatMap(({ tier, ...price }) =>
    tier.type === undefined || tier.type === "context"
      ? [{ above: tier.size, ...priceOf({ ...cost, ...price }) }]
      : [],
  );
  return {
    updated,
    context: limit.context,
    ...(cost === undefined ? {} : { price: priceOf(cost) }),
    ...(tiers.length === 0 ? {} : { tiers: tiers.sort((a, b) => b.above - a.above) }),
  };
}

/** In dollars per million tokens. */
function priceOf({ input, output, cache_read, cache_write }) {
  return {
    input,
    output,
    ...(cache_read === undefined ? {} : { cache_read }),
    ...(cache_write === undefined ? {} : { cache_write }),
  };
}

/** Writes one line per model, for readable diffs. */
function toText(newest, models) {
  const lines = models.map(([name, { updated: _, ...entry }]) => {
    return `    ${JSON.stringify(name)}: ${JSON.stringify(entry)}`;
  });
  return [
    "{",
    `  "source": ${JSON.stringify("https://models.dev, MIT licence, Copyright (c) 2025 models.dev; scripts/prices.mjs")},`,
    `  "newest": ${JSON.stringify(newest)},`,
    '  "models": {',
    lines.join(",\n"),
    "  }",
    "}",
    "",
  ].join("\n");
}
