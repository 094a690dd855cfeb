import { describe, expect, it } from "vitest";
import { type Configuration, defaults } from "../../src/app/configuration/options.ts";
import { listModels, modelChoices, modelLines } from "../../src/app/model-list.ts";
import { vendors } from "../../src/providers/vendors/vendors.ts";

function list(
  environment: Readonly<Record<string, string>> = {},
  configuration: Partial<Configuration> = {},
) {
  return listModels({ configuration: { ...defaults, ...configuration }, environment });
}

const vendorOf = (id: string, ...rest: Parameters<typeof list>) =>
  list(...rest).vendors.find((vendor) => vendor.id === id)!;

describe("the list of models", () => {
  it("has every vendor of the table with its models", () => {
    const { vendors: listed, offline } = list();
    expect(listed.map(({ id }) => id)).toEqual([...vendors.keys()]);
    expect(offline).toEqual(["mock/demo", "mock/file:PATH"]);
    for (const { id, models } of listed) {
      expect(models.map(({ name }) => name)).toEqual(
        vendors.get(id)!.models.map((model) => `${id}/${model}`),
      );
    }
  });

  it("says what a model can do", () => {
    const [gpt] = vendorOf("openai").models;
    expect(gpt).toMatchObject({
      api: "openai-responses",
      tools: true,
      images: true,
      temperature: false,
    });
    expect(gpt?.efforts).toContain("high");
    expect(vendorOf("deepseek").models[0]).toMatchObject({ images: false, temperature: true });
  });

  it("says where a key comes from or which one is missing, and never the key", () => {
    expect(vendorOf("xai").key).toEqual({ variable: "XAI_API_KEY", source: null, needed: true });
    const environment = { XAI_API_KEY: "secret-1" };
    const providers = { openai: { api_key: "secret-2" } };
    const lists = list(environment, { providers });
    expect(vendorOf("xai", environment).key.source).toBe("$XAI_API_KEY");
    expect(vendorOf("openai", {}, { providers }).key.source).toBe("the configuration");
    expect(JSON.stringify(lists) + modelLines(lists).join()).not.toContain("secret");
    const lines = modelLines(list());
    expect(lines).toContain("xai: xAI, no key: set XAI_API_KEY or providers.xai.api_key");
    expect(lines).toContain("ollama: Ollama, asked without a key");
  });

  it("has servers and models of the configuration, and names those without an address", () => {
    const base_url = "http://127.0.0.1:8080/v1";
    const configuration = {
      model: "mine/big",
      models: { "mine/small": {}, "openai/gpt-4o": {} },
      providers: { mine: { base_url }, lost: {} },
    };
    const mine = vendorOf("mine", {}, configuration);
    expect(mine).toMatchObject({ address: base_url, key: { needed: false } });
    expect(mine.models.map(({ name }) => name)).toEqual(["mine/big", "mine/small"]);
    expect(vendorOf("openai", {}, configuration).models.at(-1)?.name).toBe("openai/gpt-4o");
    expect(list({}, configuration).notices).toEqual([
      expect.stringContaining("providers.lost.base_url"),
    ]);
  });

  it("offers models that can be asked first", () => {
    const choices = modelChoices(list({ MISTRAL_API_KEY: "k" }));
    expect(choices[0]).toBe("mistral/mistral-large-latest");
    expect(choices.indexOf("mock/demo")).toBe(vendors.get("mistral")!.models.length);
    expect(choices.at(-1)).toMatch(/ \(no key: [A-Z]+_API_KEY\)$/);
    expect(choices.length).toBeLessThan(22);
  });
});
