/** Servers that are asked for their models, on the wire. */

import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { askedModels, knownModels } from "../../../src/app/models/ask-servers.ts";
import { modelLines, modelNames } from "../../../src/app/models/model-lines.ts";
import { servedFactsOf } from "../../../src/app/models/served-facts.ts";
import { createServedLists } from "../../../src/app/state/served-models.ts";
import { createModels } from "../../../src/providers/models.ts";
import { readServedModels } from "../../../src/providers/prices/served-models.ts";
import { vendors } from "../../../src/providers/vendors/vendors.ts";
import { defaults } from "../../support/configuration.ts";
import { eventually } from "../../support/eventually.ts";
import { json, listen } from "../../support/http-server.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(bodies: Readonly<Record<string, object | string>>) {
  const asked: IncomingMessage[] = [];
  const server = await listen(async (request, response) => {
    asked.push(request);
    const body = bodies[(request.url ?? "").replace(/\?.*/, "")];
    if (typeof body === "object") json(response, 200, body);
    else response.writeHead(body === undefined ? 401 : 200).end(body ?? '{"error":"no"}');
  });
  closing.push(server.close);
  return { ...server, asked };
}

/** Where nothing listens. */
let closed = "";
beforeAll(async () => {
  const server = await listen(async () => {});
  closed = `${server.origin}/v1`;
  await server.close();
});

/** Vendors without a server of the test have an address where nothing listens. */
async function open(
  providers: Readonly<Record<string, object>>,
  environment: Readonly<Record<string, string>> = {},
  { state, now = Date.now }: { readonly state?: string; readonly now?: () => number } = {},
) {
  const stateFolder = state ?? (await mkdtemp(join(tmpdir(), "parley-served-")));
  const nowhere = Object.fromEntries(
    [...vendors.values()].map(({ baseUrlVariable }) => [baseUrlVariable, closed]),
  );
  const sources = {
    configuration: { ...defaults, providers },
    environment: { ...nowhere, ...environment },
  };
  const models = createModels({ providers, environment: sources.environment });
  const lists = createServedLists(stateFolder, () => {}, now);
  return { servers: { sources, models, lists }, stateFolder };
}

describe("a server that lists its models", () => {
  it("of Ollama, OpenRouter, OpenAI, Anthropic, Google or one's own is asked with its key", async () => {
    const server = await serve({
      "/ollama/v1/models": { object: "list", data: [{ id: "qwen3:4b", object: "model" }] },
      "/openrouter/models": {
        data: [
          {
            id: "z/new",
            context_length: 131072,
            pricing: { prompt: "0.0000004", completion: "0.0000016" },
            architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
            supported_parameters: ["tools", "temperature"],
          },
          { id: "z/picture", architecture: { output_modalities: ["image"] } },
          { id: "z/auto", pricing: { prompt: "-1", completion: "-1" } },
        ],
      },
      "/openai/models": {
        data: [{ id: "gpt-5.9" }, { id: "text-embedding-3-small" }, { id: "whisper-1" }],
      },
      "/anthropic/v1/models": {
        data: [{ type: "model", id: "claude-next", display_name: "Next" }],
        has_more: false,
      },
      "/google/models": {
        data: [{ id: "models/gemini-4-flash" }, { id: "models/text-embedding-005" }],
      },
      "/mine/v1/models": { data: [{ id: "big", max_model_len: 32768 }] },
    });
    const at = (path: string) => ({ base_url: `${server.origin}/${path}` });
    const { servers } = await open({
      ollama: at("ollama/v1"),
      openrouter: { ...at("openrouter"), api_key: "k-router" },
      openai: { ...at("openai"), api_key: "k-openai", headers: { "x-team": "ours" } },
      anthropic: { ...at("anthropic"), api_key: "k-anthropic" },
      google: { ...at("google"), api_key: "k-google" },
      mine: at("mine/v1?version=2"),
    });
    const list = await askedModels(servers, { isWanted: false });
    const names = modelNames(list);
    expect(names).toEqual(
      expect.arrayContaining([
        "ollama/qwen3:4b",
        "openrouter/z/new",
        "openai/gpt-5.9",
        "anthropic/claude-next",
      ]),
    );
    expect(names).toEqual(expect.arrayContaining(["google/gemini-4-flash", "mine/big"]));
    expect(names.join()).not.toMatch(/embedding|whisper|picture/);
    // Not pulled here.
    expect(names).not.toContain("ollama/gpt-oss:20b");
    const lines = modelLines(list);
    expect(lines.find((line) => line.includes("z/new"))).toBe(
      "  + openrouter/z/new: 131k, $0.4 and $1.6, tools, images, temperature, reasoning_effort none minimal low medium high xhigh",
    );
    expect(lines.find((line) => line.includes("z/auto"))).toContain("price unknown");
    expect(lines.find((line) => line.includes("mine/big"))).toContain(
      "+ mine/big: 33k, on this machine",
    );
    expect(lines.find((line) => line.includes("gpt-oss:20b"))).toMatch(/^ {2}- ollama/);
    expect(lines.find((line) => line.includes("mistral-large"))).toMatch(/^ {2}- mistral/);
    const headersOf = (path: string) =>
      server.asked.find(({ url }) => url?.startsWith(path))?.headers;
    expect(headersOf("/openai")).toMatchObject({
      authorization: "Bearer k-openai",
      "x-team": "ours",
    });
    expect(headersOf("/anthropic")).toMatchObject({
      "x-api-key": "k-anthropic",
      authorization: "Bearer k-anthropic",
      "anthropic-version": "2023-06-01",
    });
    expect(headersOf("/ollama")).not.toHaveProperty("authorization");
    expect(server.asked.some(({ url }) => url === "/mine/v1/models?version=2")).toBe(true);
  });

  it("is asked once a day, by all editors together; one on this machine after a minute", async () => {
    const server = await serve({ "/v1/models": { data: [{ id: "a" }] } });
    const { servers, stateFolder } = await open({ mine: { base_url: `${server.origin}/v1` } });
    await askedModels(servers, { isWanted: false });
    await askedModels(servers, { isWanted: true });
    expect(server.asked).toHaveLength(1);
    await eventually(async () => {
      expect(await readFile(join(stateFolder, "models.json"), "utf8")).toContain('"a"');
    });
    const providers = { mine: { base_url: `${server.origin}/v1` } };
    const other = await open(providers, {}, { state: stateFolder });
    expect(modelNames(await knownModels(other.servers))).toContain("mine/a");
    const later = await open(providers, {}, { state: stateFolder, now: () => Date.now() + 61_000 });
    expect(modelNames(await knownModels(later.servers))).not.toContain("mine/a");
    const day = (hours: number) =>
      createServedLists(
        stateFolder,
        () => {},
        () => Date.now() + hours * 3_600_000,
      );
    const far = {
      address: "https://api.example/v1",
      date: new Date().toISOString(),
      models: [{ id: "b" }],
    };
    day(0).keep("far", far);
    await eventually(async () => {
      expect(await readFile(join(stateFolder, "models.json"), "utf8")).toContain('"far"');
    });
    expect(day(23).current("far", far.address)?.models).toEqual([{ id: "b" }]);
    expect(day(25).current("far", far.address)).toBeNull();
    expect(day(1).current("far", "https://other.example/v1")).toBeNull();
  });

  it("is not asked without its key, and one that refuses or is down is reported with the reason", async () => {
    const server = await serve({});
    const at = (path: string) => ({ base_url: `${server.origin}/${path}` });
    const { servers } = await open({
      openai: { ...at("openai"), api_key: "very-secret" },
      mistral: at("mistral"),
      page: at("page"),
    });
    const list = await askedModels(servers, { isWanted: false });
    expect(server.asked.map(({ url }) => url).sort()).toEqual(["/openai/models", "/page/models"]);
    const text = modelLines(list).join("\n");
    expect(text).toMatch(/^openai: OpenAI, key from the configuration\. OpenAI .*key/m);
    expect(text).toMatch(/^ollama: Ollama, asked without a key\. .*ollama serve/m);
    expect(text).toMatch(/^ {2}- openai\/gpt/m);
    expect(text).not.toContain("very-secret");
    // For a minute they are asked only when the user wants the list.
    await askedModels(servers, { isWanted: false });
    expect(server.asked).toHaveLength(2);
    await askedModels(servers, { isWanted: true });
    expect(server.asked).toHaveLength(4);
  });

  it("whose key comes from a command is asked when the user wants the list, and not before", async () => {
    const server = await serve({ "/models": { data: [{ id: "a" }] } });
    const api_key = [process.execPath, "-e", "console.log('from-a-command')"];
    const { servers } = await open({ mine: { base_url: server.origin, api_key } });
    await askedModels(servers, { isWanted: false });
    expect(server.asked).toHaveLength(0);
    await askedModels(servers, { isWanted: true });
    expect(server.asked[0]?.headers.authorization).toBe("Bearer from-a-command");
  });

  it("says what is wrong where it lists nothing, in words for a list", async () => {
    const server = await listen(async (_, response) => void response.writeHead(404).end());
    closing.push(server.close);
    const { servers } = await open({ mine: { base_url: server.origin }, openai: { api_key: "k" } });
    const lines = modelLines(await askedModels(servers, { isWanted: true }));
    expect(lines.find((line) => line.startsWith("mine:"))).toContain(
      `It has no list of models at ${server.origin}. If it does not answer either, correct providers.mine.base_url (most servers use ${server.origin}/v1).`,
    );
    expect(lines.find((line) => line.startsWith("ollama:"))).toMatch(
      /Start it with `ollama serve`, and list the models again\.$/,
    );
    expect(lines.join("\n")).not.toMatch(/respond again|its models”/i);
  });

  it("says how large its models' contexts are, and what they cost, for as long as it has that address", async () => {
    const server = await serve({
      "/v1/models": {
        data: [{ id: "big", max_model_len: 32768, pricing: { input: 0.2, output: 0.6 } }],
      },
    });
    const providers = { mine: { base_url: `${server.origin}/v1` } };
    const { servers, stateFolder } = await open(providers);
    const model = { provider: "mine", id: "big" };
    expect((await servedFactsOf(servers, model)).contextWindow).toBeNull();
    await askedModels(servers, { isWanted: false });
    const facts = await servedFactsOf(servers, model);
    expect(facts.contextWindow).toBe(32768);
    expect(facts.price(1)).toEqual({ input: 0.2, output: 0.6 });
    expect((await servedFactsOf(servers, { ...model, id: "other" })).contextWindow).toBeNull();
    await eventually(async () => {
      expect(await readFile(join(stateFolder, "models.json"), "utf8")).toContain('"big"');
    });
    const week = { state: stateFolder, now: () => Date.now() + 7 * 86_400_000 };
    const later = await open(providers, {}, week);
    expect((await servedFactsOf(later.servers, model)).contextWindow).toBe(32768);
    const moved = await open({ mine: { base_url: "http://127.0.0.1:9/v1" } }, {}, week);
    expect((await servedFactsOf(moved.servers, model)).contextWindow).toBeNull();
    const prices = { "mine/big": { input: 1, output: 2 } };
    const { configuration } = servers.sources;
    const sources = { ...servers.sources, configuration: { ...configuration, prices } };
    expect((await servedFactsOf({ ...servers, sources }, model)).price(1)).toEqual(
      prices["mine/big"],
    );
  });

  it("trusts no file of the state folder: what is not a list is ignored", async () => {
    const { servers, stateFolder } = await open({ mine: { base_url: "http://127.0.0.1:9" } });
    for (const text of [
      "[",
      "[]",
      '{"mine":1}',
      '{"mine":{"address":"http://127.0.0.1:9","date":"2999-01-01","models":[1]}}',
    ]) {
      await writeFile(join(stateFolder, "models.json"), text);
      expect(modelNames(await knownModels(servers))).toEqual(
        ["ollama", "mock"].flatMap((id) => modelNamesOf(id)),
      );
    }
  });
});

function modelNamesOf(id: string): readonly string[] {
  return id === "mock"
    ? ["mock/demo"]
    : (vendors.get(id)?.models ?? []).map((model) => `${id}/${model}`);
}

describe("lists as servers write them", () => {
  it.each([
    [
      "Together, a bare array",
      [{ id: "a", context_length: 8192, pricing: { input: 0.2, output: 0.6 } }],
      { id: "a", context: 8192, price: { input: 0.2, output: 0.6 } },
    ],
    [
      "Groq",
      { data: [{ id: "a", context_window: 131072, active: true }] },
      { id: "a", context: 131072 },
    ],
    [
      "llama.cpp",
      { models: [{ name: "a.gguf" }], data: [{ id: "a.gguf", meta: { n_ctx_train: 4096 } }] },
      { id: "a.gguf", context: 4096 },
    ],
    [
      "llama.cpp, started with a smaller context",
      { data: [{ id: "a.gguf", meta: { n_ctx_train: 262144, n_ctx: 8192 } }] },
      { id: "a.gguf", context: 8192 },
    ],
    [
      "GitHub Copilot",
      {
        data: [
          {
            id: "a",
            capabilities: {
              limits: { max_context_window_tokens: 144000, max_prompt_tokens: 128000 },
            },
          },
        ],
      },
      { id: "a", context: 144000 },
    ],
    [
      "Vercel AI Gateway, in dollars for one token",
      {
        data: [
          {
            id: "a/b",
            context_window: 200000,
            pricing: { input: "0.0000008", output: "0.000004", input_cache_read: "0.00000008" },
          },
        ],
      },
      { id: "a/b", context: 200000, price: { input: 0.8, output: 4 } },
    ],
    ["LM Studio", { data: [{ id: "a", max_context_length: 4096 }] }, { id: "a", context: 4096 }],
    ["a folder of Google's", { data: [{ id: "models/a" }] }, { id: "a" }],
  ])("%s", (_, value, model) => {
    expect(readServedModels(value)).toEqual([model]);
  });

  it.each([["text"], [null], [{}], [{ error: "x" }], [{ data: "x" }]])("%j is none", (value) => {
    expect(readServedModels(value)).toBeNull();
  });

  it("no name can be more than a name", () => {
    const data = ["a b", "a\nb", "\u001b[31m", "\u202e", "", "x".repeat(201), 5, null].map(
      (id) => ({ id }),
    );
    expect(readServedModels({ data: [...data, 1, null, "x"] })).toEqual([]);
    expect(readServedModels({ data: null })).toEqual([]);
  });
});
