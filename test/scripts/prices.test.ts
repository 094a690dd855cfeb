/** The price table can be generated from a file of models.dev's data instead of its address. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { vendors } from "../../src/providers/vendors/vendors.ts";

const text = { output: ["text"] };
const model = {
  limit: { context: 1000 },
  modalities: text,
  cost: { input: 1, output: 2, cache_read: 0.1 },
};
const names = [...vendors.values()].filter(({ needsKey }) => needsKey).map(({ id }) => id);
const data = Object.fromEntries(
  names.map((vendor) => [
    vendor,
    {
      models: {
        "a-model": { ...model, last_updated: "2026-01-02" },
        "no-price": { ...model, cost: undefined },
        "a-picture": { ...model, modalities: { output: ["image"] } },
      },
    },
  ]),
);

const offered = "openai/gpt-5.5";

function write(source: string, folder: string) {
  const to = join(folder, "prices.json");
  const before = { [offered]: { context: 3000 }, "openai/withdrawn": { context: 4000 } };
  writeFileSync(to, JSON.stringify({ models: before }));
  execFileSync(process.execPath, [join(projectRoot, "scripts", "prices.mjs"), source, to], {
    encoding: "utf8",
  });
  return JSON.parse(readFileSync(to, "utf8"));
}

test("scripts/prices.mjs writes the price table from a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-prices-"));
  const file = join(folder, "api.json");
  writeFileSync(file, JSON.stringify(data));
  const { models, newest } = write(file, folder);
  expect(newest).toBe("2026-01-02");
  expect(Object.keys(models)).toHaveLength(2 * names.length + 1);
  expect(models[offered], "a row from the vendor's page stays").toEqual({ context: 3000 });
  expect(models["openai/a-model"]).toEqual({
    context: 1000,
    price: { input: 1, output: 2, cache_read: 0.1 },
  });
  expect(models["xai/no-price"]).toEqual({ context: 1000 });
  const none = join(folder, "none.json");
  writeFileSync(none, "{}");
  expect(() => write(none, folder)).toThrow("has no models of anthropic");
});
