import { describe, expect, it } from "vitest";
import type { Configuration } from "../../../src/app/configuration/options.ts";
import { modelChoices, modelLines } from "../../../src/app/models/model-lines.ts";
import { listModels } from "../../../src/app/models/model-list.ts";
import { vendors } from "../../../src/providers/vendors/vendors.ts";
import { defaults } from "../../support/configuration.ts";

function list(
  environment: Readonly<Record<string, string>> = {},
  configuration: Partial<Configuration> = {},
) {
  return listModels({ configuration: { ...defaults, ...configuration }, environment });
}

const vendorOf = async (id: string, ...rest: Parameters<typeof list>) =>
  (await list(...rest)).vendors.find((vendor) => vendor.id === id)!;

describe("the list of models", () => {
  it("has every vendor of the table with its models", async () => {
    const { vendors: listed, offline } = await list();
    expect(listed.map(({ id }) => id)).toEqual([...vendors.keys()]);
    expect(offline).toEqual(["mock/demo", "mock/file:PATH"]);
    for (const { id, models } of listed) {
      expect(models.map(({ name }) => name)).toEqual(
        vendors.get(id)!.models.map((model) => `${id}/${model}`),
      );
    }
  });

  it("says what a model can do", async () => {
    const [gpt] = (await vendorOf("openai")).models;
    expect(gpt).toMatchObject({
      api: "openai-responses",
      tools: true,
      images: true,
      temperature: false,
    });
    expect(gpt?.efforts).toContain("high");
    expect((await vendorOf("deepseek")).models[0]).toMatchObject({
      images: false,
      temperature: true,
    });
  });

  it("says where a key comes from or which one is missing, and never the key", async () => {
    expect((await vendorOf("xai")).key).toEqual({
      variable: "XAI_API_KEY",
      source: null,
      needed: true,
    });
    const environment = { XAI_API_KEY: "secret-1" };
    const providers = { openai: { api_key: "secret-2" } };
    const lists = await list(environment, { providers });
    expect((await vendorOf("xai", environment)).key.source).toBe("$XAI_API_KEY");
    expect((await vendorOf("openai", {}, { providers })).key.source).toBe("the configuration");
    expect(JSON.stringify(lists) + modelLines(lists).join()).not.toContain("secret");
    const lines = modelLines(await list());
    expect(lines).toContain("xai: xAI, no key: set XAI_API_KEY or providers.xai.api_key");
    expect(lines).toContain("ollama: Ollama, asked without a key");
  });

  it("has servers and models of the configuration, and names those without an address", async () => {
    const base_url = "http://127.0.0.1:8080/v1";
    const configuration = {
      model: "mine/big",
      models: { "mine/small": {}, "openai/gpt-4o": {} },
      providers: { mine: { base_url }, lost: {} },
    };
    const mine = await vendorOf("mine", {}, configuration);
    expect(mine).toMatchObject({ address: base_url, key: { needed: false } });
    expect(mine.models.map(({ name }) => name)).toEqual(["mine/big", "mine/small"]);
    expect((await vendorOf("openai", {}, configuration)).models.at(-1)?.name).toBe("openai/gpt-4o");
    expect((await list({}, configuration)).notices).toEqual([
      expect.stringContaining("providers.lost.base_url"),
    ]);
  });

  it("has the context and the price of every model that is offered, and says of others what to do", async () => {
    for (const { isLocal, models } of (await list()).vendors) {
      for (const { name, context, price } of isLocal ? [] : models) {
        const known = "node scripts/prices.mjs writes prices.json, or a row from the vendor's page";
        expect([name, price?.input], known).toEqual([name, expect.any(Number)]);
        expect([name, context], known).toEqual([name, expect.any(Number)]);
      }
    }
    const configuration = { models: { "openai/not-yet-out": {} } };
    const told = (lines: readonly string[]) =>
      lines.filter((line) => /^price unknown: /.test(line));
    expect(told(modelLines(await list()))).toEqual([]);
    expect(told(modelLines(await list({}, configuration)))).toEqual([
      expect.stringContaining("add it to `prices` in the configuration"),
    ]);
    const lines = modelLines(await list());
    expect(lines.filter((line) => /^ {2}[+-] /.test(line))).toEqual(
      lines.filter((line) =>
        / {2}[+-] \S+: (\S+|context unknown), (\$|price unknown|on this)/.test(line),
      ),
    );
    expect(lines.find((line) => line.includes("claude-sonnet-4-6"))).toMatch(/: [\d.]+[kM], \$/);
  });

  it("offers models that can be asked first", async () => {
    const choices = modelChoices(await list({ MISTRAL_API_KEY: "k" }));
    expect(choices[0]).toBe("mistral/mistral-large-latest");
    expect(choices.indexOf("mock/demo")).toBe(vendors.get("mistral")!.models.length);
    expect(choices.at(-1)).toMatch(/ \(no key: [A-Z]+_API_KEY\)$/);
    expect(choices.length).toBeLessThan(22);
  });
});
