/** Recipes of doc/vendors.md: headers, parameters and fields of the person's own, on the wire. */
import { describe, expect, test } from "vitest";
import type { ProviderConfiguration } from "../../../src/conversation/settings/vendor-settings.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ask, requestTo, textOf, user } from "../parts.ts";
import { serve } from "../served.ts";

interface Recipe {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  settings(url: string): ProviderConfiguration;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

const recipes: readonly Recipe[] = [
  {
    name: "Azure OpenAI",
    provider: "azure",
    model: "my-deployment",
    settings: (url) => ({
      base_url: `${url}/openai/v1?api-version=preview`,
      headers: { "api-key": "azure-key" },
    }),
    path: "/openai/v1/chat/completions?api-version=preview",
    headers: { "api-key": "azure-key" },
  },
  {
    name: "vLLM without thoughts",
    provider: "vllm",
    model: "Qwen/Qwen3-8B",
    settings: (url) => ({
      base_url: `${url}/v1/`,
      extra_body: { chat_template_kwargs: { enable_thinking: false } },
    }),
    path: "/v1/chat/completions",
    body: { chat_template_kwargs: { enable_thinking: false } },
  },
  {
    name: "OpenRouter's choice of servers for one model",
    provider: "openrouter",
    model: "openai/gpt-5.5",
    settings: (url) => ({
      base_url: `${url}/v1`,
      extra_body: { provider: { sort: "price" } },
      models: { "openai/gpt-5.5": { extra_body: { provider: { order: ["azure"] } } } },
    }),
    path: "/v1/chat/completions",
    body: { provider: { order: ["azure"] } },
  },
  {
    name: "OpenAI's service tier",
    provider: "openai",
    model: "gpt-4.1",
    settings: (url) => ({ base_url: `${url}/v1`, extra_body: { service_tier: "flex" } }),
    path: "/v1/chat/completions",
    body: { service_tier: "flex" },
  },
  {
    name: "a company's gateway for Claude",
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    settings: (url) => ({
      base_url: `${url}/claude?tenant=a%20b`,
      headers: { "X-Team": "parley" },
      query: { trace: "1" },
    }),
    path: "/claude/v1/messages?tenant=a+b&trace=1",
    headers: { "x-team": "parley" },
  },
];

describe.each(recipes)("$name", ({ provider, model, settings, path, headers = {}, body = {} }) => {
  test("goes over the wire, and stands in the preview", async () => {
    const reply = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
    const block =
      'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi"}}\n\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n';
    const server = await serve({ raw: [provider === "anthropic" ? block : reply] });
    const models = createModels({
      providers: { [provider]: { api_key: "sk-secret-1", ...settings(server.url) } },
      environment: {},
    });
    const request = { ...requestTo(provider, model, [user("hi")]), tools: [] };
    // The vendors' own rules do not know what a person adds.
    const parts = await ask(models, request);
    const [sent] = server.requests;
    expect(sent?.path).toBe(path);
    expect(sent?.headers).toMatchObject(headers);
    expect(sent?.body).toMatchObject(body);
    if (sent?.violation === null) expect(textOf(parts)).toBe("Hi");
    const shown = models.wire(request);
    expect("body" in shown && shown.body).toMatchObject(body);
    expect(JSON.stringify(shown)).not.toContain("azure-key");
  });
});

test("Claude behind OpenRouter is cached, others are not asked to be", async () => {
  const server = await serve({ text: "A" }, { text: "B" });
  const models = createModels({ providers: {}, environment: server.environment });
  await ask(models, requestTo("openrouter", "anthropic/claude-sonnet-5.5", [user("hi")]));
  await ask(models, requestTo("openrouter", "openai/gpt-5.5", [user("hi")]));
  expect(server.requests[0]?.body.cache_control).toEqual({ type: "ephemeral" });
  expect(server.requests[1]?.body).not.toHaveProperty("cache_control");
});

test.each([
  ["mistral", "mistral-small-latest"],
  ["openrouter", "anthropic/claude-sonnet-5.5"],
])("a paused step that %s takes over ends in a user message", async (provider, id) => {
  const server = await serve({ text: "On." });
  const models = createModels({ providers: {}, environment: server.environment });
  const half = { role: "assistant", content: [{ type: "text", text: "Half" }] } as const;
  expect(textOf(await ask(models, requestTo(provider, id, [user("hi"), half])))).toBe("On.");
  expect(server.requests[0]?.body.messages.at(-1)).toEqual({ role: "user", content: "Continue." });
});
