import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { CompatConfiguration } from "../../../src/conversation/settings/vendor-settings.ts";
import { createModels } from "../../../src/providers/models.ts";
import { toOpenAIRequest } from "../../../src/providers/openai-chat/openai-request.ts";
import { configuredCompat, effortsOf, fits } from "../../../src/providers/vendors/compat.ts";
import {
  allVendors,
  apiOf,
  findVendor,
  hasNativeTools,
  vendors,
} from "../../../src/providers/vendors/vendors.ts";
import { ruledVendors } from "../../support/model-server-vendor-rules.ts";
import { ask, failureOf, requestTo, textOf, user } from "../parts.ts";
import { serve } from "../served.ts";
import { vendorFixtures } from "../vendor-stream-fixtures.ts";

const ids = [...vendors.keys()];
const compatible = ids.filter((id) => id !== "openai" && id !== "anthropic");
const question = (provider: string, id = "m") => requestTo(provider, id, [user("hi")]);

test.each([
  ["gemini-3.8-flash", "minimal", { thinking_level: "minimal", include_thoughts: true }],
  ["gemini-3.1-pro-preview", "minimal", { thinking_level: "low", include_thoughts: true }],
  ["gemini-3-pro-preview", "medium", { thinking_level: "low", include_thoughts: true }],
  ["gemini-2.5-pro", "high", { thinking_budget: 24_576, include_thoughts: true }],
  ["gemini-2.5-flash", "none", { thinking_budget: 0, include_thoughts: false }],
] as const)("%s is asked for %s thoughts and to show them", (id, reasoningEffort, config) => {
  const asked = { ...requestTo("google", id, [user("hi")]), reasoningEffort };
  expect(toOpenAIRequest(asked)).toMatchObject({
    extra_body: { google: { thinking_config: config } },
  });
  expect(toOpenAIRequest(asked)).not.toHaveProperty("reasoning_effort");
  expect(toOpenAIRequest(requestTo("google", id, [user("hi")]))).not.toHaveProperty("extra_body");
});

describe("the table", () => {
  test("has each vendor under its own id", () => {
    expect(ids.length).toBeGreaterThan(8);
    for (const [id, vendor] of vendors) expect(vendor.id).toBe(id);
  });

  // The properties try what the rules and the streams name, and nothing else.
  test.each(compatible)("%s has rules, and a stream with calls, in the tests", (id) => {
    const rules = "what it refuses goes into test/support/model-server-vendor-rules.ts";
    expect(ruledVendors, rules).toContain(id);
    const streams =
      "a stream of it that ends with calls goes into test/providers/vendor-stream-fixtures.ts";
    const calling = vendorFixtures.filter(({ outline }) => outline.at(-1) === "finish tool-calls");
    expect(
      calling.map(({ provider }) => provider),
      streams,
    ).toContain(id);
  });

  test.each(ids)("%s has an address, variables, models and APIs that fit together", (id) => {
    const vendor = vendors.get(id)!;
    expect(URL.canParse(vendor.baseUrl)).toBe(true);
    expect(vendor.keyVariable).toMatch(/^[A-Z]+_API_KEY$/);
    expect(vendor.models.length).toBeGreaterThan(0);
    for (const { api } of Object.values(vendor.serverTools)) expect(vendor.apis).toContain(api);
    for (const [, api] of vendor.apiOfModels ?? []) expect(vendor.apis).toContain(api);
    const rule = vendor.compat.reasoning;
    expect(rule.echoRequired !== false && rule.echo === null).toBe(false);
  });
});

test.each([
  [
    "openai",
    "gpt-5.5 gpt-4o gpt-4-turbo gpt-4.1 o1 o4-mini",
    "gpt-3.5-turbo gpt-4 gpt-4-0613 o1-mini o3-mini",
  ],
  ["xai", "grok-4.5 grok-2-vision-1212", "grok-3 grok-2-1212"],
  ["cerebras", "", "gpt-oss-120b"],
  [
    "mistral",
    "mistral-small-latest pixtral-12b magistral-medium-latest",
    "devstral-medium-latest codestral-2508",
  ],
  ["deepseek", "", "deepseek-v4-pro"],
  ["ollama", "llava:13b llama3.2-vision qwen2.5vl:7b gemma3:27b", "llama3.1:8b gpt-oss:20b"],
])("%s has models that see images: %s; and others: %s", (id, seeing, blind) => {
  const { vision } = vendors.get(id)!.compat;
  const words = (models: string) => models.split(" ").filter((model) => model !== "");
  expect(words(seeing).filter((model) => !fits(vision, model))).toEqual([]);
  expect(words(blind).filter((model) => fits(vision, model))).toEqual([]);
});

test.each([
  ["gpt-oss:20b", true],
  ["qwen3:8b", true],
  ["phi4-mini", true],
  ["phi4:14b", false],
  ["gemma3:27b", false],
  ["gemma", false],
  ["llama2:7b", false],
  ["deepseek-r1:8b", false],
])("Ollama's %s takes tools by the API: %s", (id, takes) => {
  expect(hasNativeTools(vendors.get("ollama")!, id)).toBe(takes);
});

describe("the API of a request", () => {
  const openai = vendors.get("openai")!;
  const xai = vendors.get("xai")!;

  test("is the vendor's first, but at OpenAI's own address", () => {
    const others = ids.filter((id) => id !== "openai");
    expect(others.map((id) => apiOf(vendors.get(id)!, question(id)))).toEqual(
      others.map((id) => (id === "anthropic" ? "anthropic-messages" : "openai-chat")),
    );
  });

  test.each([
    ["gpt-5.5", "openai-responses"],
    ["gpt-5.4-mini", "openai-responses"],
    ["gpt-9-of-the-future", "openai-responses"],
    ["o4-mini", "openai-responses"],
    ["gpt-4.1", "openai-chat"],
    ["gpt-4o-mini", "openai-chat"],
    ["gpt-3.5-turbo", "openai-chat"],
    ["chatgpt-4o-latest", "openai-chat"],
    ["gpt-5.2-chat-latest", "openai-chat"],
    ["ft:gpt-4o-mini:me::1", "openai-chat"],
  ])("of OpenAI's %s is %s at its own address, chat completions at a gateway", (id, api) => {
    const asked = question("openai", id);
    expect(apiOf(openai, asked)).toBe(api);
    expect(apiOf(openai, asked, { base_url: "https://eu.api.openai.com/v1/" })).toBe(api);
    expect(apiOf(openai, asked, { base_url: "https://gateway.example/v1" })).toBe("openai-chat");
    expect(apiOf(openai, asked, { base_url: "https://api.openai.com.example/v1" })).toBe(
      "openai-chat",
    );
  });

  test("is the one that a server tool needs, but not for a tool the vendor does not have", () => {
    const wanting = (...serverTools: string[]) => ({ ...question("xai", "grok-4.5"), serverTools });
    expect(apiOf(xai, wanting("x_search"))).toBe("openai-responses");
    expect(apiOf(xai, wanting("toString", "nonsense"))).toBe("openai-chat");
    expect(apiOf(vendors.get("google")!, wanting("web_search"))).toBe("openai-chat");
  });

  test("is the one that alone offers the model", () => {
    const gateway = { base_url: "https://gateway.example/v1" };
    expect(apiOf(openai, question("openai", "gpt-5.2-pro"), gateway)).toBe("openai-responses");
  });

  test("is the configured one before all", () => {
    const request = { ...question("openai", "gpt-5.2-pro"), serverTools: ["web_search"] };
    expect(apiOf(openai, request, { api: "openai-chat" })).toBe("openai-chat");
  });
});

describe("a server of the user's own", () => {
  const base_url = "http://127.0.0.1:1/v1";

  test("speaks chat completions without a key, or what it is configured for", () => {
    expect(findVendor("my-server", { base_url })).toMatchObject({
      apis: ["openai-chat"],
      baseUrl: base_url,
      keyVariable: "MY_SERVER_API_KEY",
      needsKey: false,
    });
    const other = findVendor("proxy", { base_url, api: "anthropic-messages" })!;
    expect(apiOf(other, question("proxy"))).toBe("anthropic-messages");
    expect(other.compat.requiredWord).toBe("any");
  });

  test("is there beside the others once it has an address", () => {
    expect(findVendor("my-server")).toBeNull();
    const all = allVendors({ openai: {}, nowhere: {}, mine: { base_url } });
    expect(all.map(({ id }) => id)).toEqual([...ids, "mine"]);
  });

  test("without an address is named with the setting", async () => {
    const models = createModels({ providers: { mine: {} }, environment: {} });
    const failure = failureOf(await ask(models, question("mine")));
    expect(failure.kind).toBe("unknown-model");
    expect(failure.message).toContain("providers.mine.base_url");
  });

  test("is asked without a header for a key, and with one that is configured", async () => {
    const server = await serve({ text: "One." }, { text: "Two." });
    const settings = { base_url: `${server.url}/v1` };
    const models = createModels({ providers: { mine: settings }, environment: {} });
    expect(textOf(await ask(models, question("mine")))).toBe("One.");
    const keyed = { ...settings, api_key: "plain-key" };
    const withKey = createModels({ providers: { mine: keyed }, environment: {} });
    expect(textOf(await ask(withKey, question("mine")))).toBe("Two.");
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      "Bearer plain-key",
    ]);
  });

  test("that wants a key after all says so", async () => {
    const server = await serve({ status: 401, message: "Who are you?" });
    const providers = { mine: { base_url: `${server.url}/v1` } };
    const failure = failureOf(
      await ask(createModels({ providers, environment: {} }), question("mine")),
    );
    expect(failure.kind).toBe("auth");
    expect(failure.message).toContain("MINE_API_KEY");
    expect(failure.message).toContain("providers.mine.api_key");
  });
});

describe("compat of the configuration", () => {
  const row = vendors.get("openai")!.compat;

  test("changes what it names and leaves the rest", () => {
    expect(configuredCompat(row)).toEqual(row);
    const given: Required<CompatConfiguration> = {
      max_tokens_field: "max_tokens",
      developer_role: "^local",
      native_tools: false,
      tool_choices: ["auto"],
      parallel_field: false,
      max_tools: 7,
      tool_description_length: 70,
      call_id_length: 20,
      inline_references: true,
      temperature: "^warm",
      top_p: false,
      reasoning_effort: false,
      usage_in_stream: false,
      vision: false,
    };
    const compat = configuredCompat(row, given);
    expect(compat).toEqual({
      ...row,
      maxTokensField: "max_tokens",
      developerRole: /^local/,
      nativeTools: false,
      toolChoices: ["auto"],
      parallelField: null,
      maxTools: 7,
      toolDescriptionLength: 70,
      callIds: { length: 20, isExact: false, keepsMeaning: false },
      inlineReferences: true,
      sampling: { ...row.sampling, temperature: /^warm/, top_p: false },
      reasoning: { ...row.reasoning, efforts: [] },
      usageInStream: false,
      vision: false,
    });
    expect([fits(compat.developerRole, "local-1"), fits(compat.developerRole, "gpt-5")]).toEqual([
      true,
      false,
    ]);
    expect(effortsOf(compat, "gpt-5")).toEqual([]);
  });

  test("gives an effort the words of the vendor, or those that most have", () => {
    const efforts = (reasoning_effort: boolean | string) =>
      effortsOf(configuredCompat(vendors.get("deepseek")!.compat, { reasoning_effort }), "m");
    expect(efforts(true).join(" ")).toBe("none low high max");
    expect(efforts("^other")).toEqual([]);
    const plain = findVendor("mine", { base_url: "http://127.0.0.1:1" })!;
    const compat = configuredCompat(plain.compat, { reasoning_effort: true });
    expect(effortsOf(compat, "m").join(" ")).toBe("none low medium high");
  });

  test("lets models of a plain server take an effort, and none take tools", () => {
    const settings = {
      base_url: "http://127.0.0.1:1",
      compat: { reasoning_effort: "^think", native_tools: false },
    };
    const vendor = findVendor("mine", settings)!;
    expect(effortsOf(vendor.compat, "think-1")).toContain("high");
    expect(effortsOf(vendor.compat, "other")).toEqual([]);
    expect(hasNativeTools(vendor, "any")).toBe(false);
  });
});

test.each(["openai", "xai", "mistral"])(
  "an account at OpenAI is named to OpenAI alone: %s",
  async (id) => {
    const server = await serve({ text: "Hi." });
    const account = { OPENAI_ORG_ID: "org-1", OPENAI_PROJECT_ID: "proj-1" };
    const environment = { ...server.environment, ...account };
    await ask(createModels({ providers: {}, environment }), question(id));
    const headers = server.requests[0]?.headers;
    const named = [headers?.["openai-organization"], headers?.["openai-project"]];
    expect(named).toEqual(id === "openai" ? ["org-1", "proj-1"] : [undefined, undefined]);
  },
);

/** The SDKs read these by themselves; they often hold the token of a gateway. */
const ownHeaders = { openai: "OPENAI_CUSTOM_HEADERS", anthropic: "ANTHROPIC_CUSTOM_HEADERS" };

test.each(ids)("headers that the environment has for a vendor go to it alone: %s", async (id) => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [owner, variable] of Object.entries(ownHeaders)) {
    vi.stubEnv(variable, `X-Token-${owner}: of ${owner}`);
  }
  const apis = vendors.get(id)?.apis ?? [];
  const sent = await Promise.all(
    apis.map(async (api) => {
      const server = await serve({ text: "Hi." });
      const { environment } = server;
      const models = createModels({ providers: { [id]: { api } }, environment });
      await ask(models, question(id));
      const names = Object.keys(server.requests[0]?.headers ?? {});
      return names.filter((name) => name.startsWith("x-token-"));
    }),
  );
  const owned = Object.hasOwn(ownHeaders, id) ? [`x-token-${id}`] : [];
  expect(sent).toEqual(apis.map(() => owned));
});
