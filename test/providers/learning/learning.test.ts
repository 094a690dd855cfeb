/** What a refusal changes in the next request, on the wire of each API, and that it is remembered. */
import { describe, expect, test } from "vitest";
import type { ModelRequest, StreamPart } from "../../../src/conversation/ports.ts";
import type { ProviderConfiguration } from "../../../src/conversation/settings/vendor-settings.ts";
import {
  createMemoryLessons,
  currentLessons,
  type Learned,
  longestKeptMs,
  mostKept,
} from "../../../src/providers/learning/lessons.ts";
import { createModels } from "../../../src/providers/models.ts";
import type { ReceivedRequest } from "../../support/model-server.ts";
import { ask, callsOf, failureOf, requestTo, textOf, user } from "../parts.ts";
import { modelsAt, serve } from "../served.ts";

function noticesOf(parts: readonly StreamPart[]): string[] {
  return parts.flatMap((part) => (part.type === "notice" ? [part.message] : []));
}

const image = { type: "image", mime: "image/png", data: "AAAA" } as const;

interface Case {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly asked?: Partial<ModelRequest>;
  readonly settings?: ProviderConfiguration;
  /** What the server says first. */
  readonly status?: number;
  readonly said: string;
  /** Whether the second request is without what was refused. */
  check(second: ReceivedRequest, first: ReceivedRequest): boolean;
}

const cases: readonly Case[] = [
  ...[
    "Developer instruction is not enabled for models/gemma-3-27b-it",
    "System role not supported",
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
  ].map(
    (said): Case => ({
      name: `a system prompt: ${said}`,
      provider: "google",
      model: "gemma-3-27b-it",
      said,
      check: ({ body }, first) =>
        first.body.messages[0].role === "system" &&
        body.messages.length === 1 &&
        body.messages[0].content === "Be short.\n\nhi",
    }),
  ),
  {
    name: "thoughts that did not come back (Kimi)",
    provider: "mistral",
    model: "m",
    said: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
    // No call has been made yet.
    check: () => true,
  },
  {
    name: "a temperature that may only be 1 (Kimi)",
    provider: "xai",
    model: "grok-4",
    asked: { sampling: { temperature: 0.5 } },
    said: "invalid temperature: only 1 is allowed for this model",
    check: ({ body }) => !("temperature" in body),
  },
  {
    name: "a temperature beside top_p (Claude by a gateway)",
    provider: "openrouter",
    model: "anthropic/claude-opus-4.1",
    asked: { sampling: { temperature: 0.5, top_p: 0.5 } },
    said: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    check: ({ body }) => !("temperature" in body) && body.top_p === 0.5,
  },
  {
    name: "the choice of one tool (LM Studio)",
    provider: "deepseek",
    model: "m",
    asked: { toolChoice: { tool: "web_search" } },
    said: "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
    check: ({ body }) => !("tool_choice" in body) && body.tools.length === 1,
  },
  {
    name: "another API",
    provider: "openai",
    model: "gpt-5",
    said: "This model is only supported in v1/responses and not in v1/chat/completions.",
    status: 404,
    check: ({ api }, first) => first.api === "openai" && api === "responses",
  },
  {
    name: "an API that is not there",
    provider: "openai",
    model: "gpt-5.2-pro",
    said: "Not Found",
    status: 404,
    check: ({ api }, first) => first.api === "responses" && api === "openai",
  },
  {
    name: "an effort beside tools, where the person chose the API",
    provider: "openai",
    model: "gpt-5",
    settings: { api: "openai-chat" },
    said: "Function tools with reasoning_effort are not supported for gpt-5 in /v1/chat/completions. Please use /v1/responses instead",
    check: ({ body, api }) => api === "openai" && body.reasoning_effort === "none",
  },
  {
    name: "a reasoning effort",
    provider: "mistral",
    model: "mistral-small-latest",
    asked: { reasoningEffort: "high" },
    said: "reasoning_effort is not supported for this model",
    check: ({ body }, first) =>
      first.body.reasoning_effort === "high" && !("reasoning_effort" in body),
  },
  {
    name: "a value of the effort, with those that are known",
    provider: "openai",
    model: "gpt-5.1",
    asked: { reasoningEffort: "none", tools: [] },
    said: "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'low', 'medium', and 'high'.",
    check: ({ body }) => body.reasoning_effort === "low",
  },
  {
    name: "an effort of Claude's",
    provider: "anthropic",
    model: "claude-sonnet-4-6",
    asked: { reasoningEffort: "high" },
    said: "adaptive thinking is not supported on this model",
    check: ({ body }, first) => "thinking" in first.body && !("thinking" in body),
  },
  {
    name: "a temperature",
    provider: "xai",
    model: "grok-4",
    asked: { sampling: { temperature: 0.5 } },
    said: "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
    check: ({ body }) => !("temperature" in body),
  },
  {
    name: "top_p",
    provider: "cerebras",
    model: "gpt-oss-120b",
    asked: { sampling: { top_p: 0.5 } },
    said: "top_p: Extra inputs are not permitted",
    check: ({ body }) => !("top_p" in body),
  },
  {
    name: "parallel_tool_calls",
    provider: "mistral",
    model: "mistral-small-latest",
    asked: { parallelToolCalls: false },
    said: "parallel_tool_calls: Extra inputs are not permitted",
    status: 422,
    check: ({ body }) => !("parallel_tool_calls" in body),
  },
  {
    name: "tool_choice",
    provider: "google",
    model: "gemini-3.8-flash",
    asked: { toolChoice: "required" },
    said: "tool_choice is not supported",
    check: ({ body }) => !("tool_choice" in body) && body.tools.length === 1,
  },
  {
    name: "cache_control",
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    said: "cache_control: Extra inputs are not permitted",
    check: ({ body }, first) => "cache_control" in first.body && !("cache_control" in body),
  },
  {
    name: "prompt_cache_key",
    provider: "openai",
    model: "gpt-4.1",
    asked: { cacheKey: "k" },
    said: "Unknown parameter: 'prompt_cache_key'.",
    check: ({ body }, first) =>
      first.body.prompt_cache_key === "k" && !("prompt_cache_key" in body),
  },
  {
    name: "stream_options",
    provider: "deepseek",
    model: "deepseek-chat",
    said: "stream_options is not supported",
    check: ({ body }, first) => "stream_options" in first.body && !("stream_options" in body),
  },
  {
    name: "the developer role",
    provider: "openai",
    model: "gpt-5",
    said: "'developer' is not one of ['system', 'assistant', 'user', 'tool'] - 'messages.0.role'",
    check: ({ body }) => body.messages[0].role === "system",
  },
  {
    name: "images",
    provider: "mistral",
    model: "mistral-small-latest",
    asked: { messages: [{ role: "user", content: [{ type: "text", text: "See" }, image] }] },
    said: "No endpoints found that support image input",
    status: 404,
    check: ({ raw }, first) => first.raw.includes("data:image/png") && !raw.includes("data:image"),
  },
  {
    name: "summaries of thoughts",
    provider: "openai",
    model: "gpt-5.2-pro",
    asked: { reasoningEffort: "high" },
    said: "Your organization must be verified to generate reasoning summaries.",
    check: ({ body }, first) =>
      first.body.reasoning.summary === "auto" && body.reasoning.summary === undefined,
  },
  {
    name: "encrypted thoughts",
    provider: "openai",
    model: "gpt-5.2-pro",
    said: "Encrypted content is not supported with this model.",
    check: ({ body }, first) => "include" in first.body && !("include" in body),
  },
];

describe.each(cases)("$name", ({ provider, model, asked, settings, status = 400, said, check }) => {
  const request = { ...requestTo(provider, model, [user("hi")]), ...asked };

  test("is changed once, said once, and remembered for the model alone", async () => {
    const server = await serve(
      { status, message: said },
      ...["A", "B", "C"].map((text) => ({ text })),
    );
    const lessons = createMemoryLessons();
    const models = () =>
      createModels({
        providers: settings === undefined ? {} : { [provider]: settings },
        environment: server.environment,
        lessons,
      });
    const parts = await ask(models(), request);
    expect(textOf(parts)).toBe("A");
    expect(noticesOf(parts)).toHaveLength(1);
    expect(noticesOf(parts)[0]).toContain(`for ${model}, so `);
    const [first, second] = server.requests;
    expect(check(second!, first!)).toBe(true);
    // A later start of the program begins with what was learned.
    expect(textOf(await ask(models(), request))).toBe("B");
    expect(server.requests).toHaveLength(3);
    expect(check(server.requests[2]!, first!)).toBe(true);
    expect(lessons.all()).toMatchObject([{ vendor: provider, model }]);
    const other = { ...request, model: { provider, id: `${model}-other` } };
    expect(textOf(await ask(models(), other))).toBe("C");
    expect(lessons.all()).toHaveLength(1);
  });
});

test("a model that takes no tools by the API is asked to write its calls", async () => {
  const call =
    '<<<TOOL_CALL>>>\n{"name": "web_search", "arguments": {"query": "x"}}\n<<<END_TOOL_CALL>>>';
  for (const said of [
    "registry.ollama.ai/library/mymodel does not support tools",
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "No endpoints found that support tool use.",
    "tools param requires --jinja flag",
  ]) {
    const smiley = "😊".repeat(14);
    const written = `${smiley}\n{"name": "web_search", "arguments": {"query": "x"}}\n${smiley}\n${call}`;
    const status = said.includes("--jinja") ? 500 : 400;
    const server = await serve({ status, message: said }, { text: written });
    const parts = await ask(modelsAt(server), requestTo("ollama", "mymodel", [user("hi")]));
    expect(server.requests[1]?.body).not.toHaveProperty("tools");
    expect(server.requests[1]?.raw).toContain("web_search");
    expect(callsOf(parts).length, said).toBeGreaterThan(0);
  }
});

test.each([
  ["", "max_tokens", "max_completion_tokens"],
  ["/mistral", "max_completion_tokens", "max_tokens"],
] as const)("a server at %s/v1 that refuses %s gets %s", async (path, refused, taken) => {
  const server = await serve({ text: "Hello." });
  const base_url = `${server.url}${path}/v1`;
  const own = { base_url, compat: { max_tokens_field: refused, usage_in_stream: false } };
  const models = createModels({ providers: { own }, environment: {} });
  const request = { ...requestTo("own", "m", [user("hi")]), maxOutputTokens: 100 };
  expect(textOf(await ask(models, request))).toBe("Hello.");
  expect(server.requests.map(({ body }) => [body[refused], body[taken]])).toEqual([
    [100, undefined],
    [undefined, 100],
  ]);
});

test("tools of gpt-5.5 go by Responses, and where there is none, by chat completions without reasoning", async () => {
  const server = await serve({ status: 404, message: "Not Found" }, { text: "Hello." });
  const parts = await ask(modelsAt(server), requestTo("openai", "gpt-5.5", [user("hi")]));
  expect(textOf(parts)).toBe("Hello.");
  expect(server.requests.map(({ api }) => api)).toEqual(["openai", "responses", "openai"]);
  expect(server.requests[2]?.body).toMatchObject({ reasoning_effort: "none" });
  expect(server.requests[2]?.violation).toBeNull();
  expect(noticesOf(parts)).toHaveLength(2);
});

test.each([
  ["a wrong value", "Invalid 'temperature': decimal above maximum value. Expected a value <= 2"],
  ["a limit that is too high", "max_tokens is too large: 900000. This model supports 8192"],
  ["a model that is not there", "The model `x` does not exist"],
  ["one that is called like a role", "developer/x is not available", 404],
])("%s teaches nothing", async (_, said, status = 400) => {
  const [provider, model] = status === 404 ? ["openai", "gpt-5"] : ["xai", "grok-4"];
  const server = await serve({ status, message: said });
  const request = {
    ...requestTo(provider, model, [user("hi")]),
    sampling: { temperature: 9 },
    maxOutputTokens: 900_000,
  };
  expect(failureOf(await ask(modelsAt(server), request)).status).toBe(status);
  expect(server.requests).toHaveLength(1);
});

test.each([
  "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
  "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels. Larger ones are not supported",
  "image media type image/png is not supported here",
])("a single image that is refused does not cost the others: %s", async (message) => {
  const server = await serve({ status: 400, message });
  const request = requestTo("openai", "gpt-5", [
    { role: "user", content: [{ type: "text", text: "See" }, image] },
  ]);
  expect(failureOf(await ask(modelsAt(server), request)).message).toContain(message.slice(0, 60));
  expect(server.requests).toHaveLength(1);
});

test("a program is not told of a log that it does not have", async () => {
  const server = await serve(
    { status: 400, message: "temperature is not supported" },
    { text: "A" },
  );
  const { environment } = server;
  const request = { ...requestTo("xai", "grok-4", [user("hi")]), sampling: { temperature: 0.5 } };
  const [notice = ""] = noticesOf(await ask(createModels({ providers: {}, environment }), request));
  expect(notice).toMatch(/That is remembered while this program runs\.$/);
});

test("a refusal that comes after a wait teaches, too", async () => {
  const message = "temperature is not supported";
  const server = await serve(
    { status: 503, message: "Full" },
    { status: 400, message },
    { text: "A" },
  );
  const request = { ...requestTo("xai", "grok-4", [user("hi")]), sampling: { temperature: 0.5 } };
  const models = modelsAt(server, {}, { maxRetries: 1, firstWaitMs: 1 });
  expect(textOf(await ask(models, request))).toBe("A");
});

test("what a request did not have is not learned from it", async () => {
  const server = await serve({ status: 400, message: "temperature is not supported" });
  const parts = await ask(modelsAt(server), requestTo("xai", "grok-4", [user("hi")]));
  expect(failureOf(parts).kind).toBe("invalid-request");
});

test("lessons are few, each once, and end after a month", () => {
  const now = Date.parse("2026-11-21T00:00:00Z");
  const lesson = { kind: "without", what: "temperature" } as const;
  const learned = (model: string, age: number): Learned => ({
    vendor: "v",
    model,
    baseUrl: "u",
    lesson,
    date: new Date(now - age).toISOString(),
  });
  expect(currentLessons([learned("a", longestKeptMs + 1), learned("b", 5)], now)).toHaveLength(1);
  expect(currentLessons([learned("a", 9), learned("a", 5)], now)).toEqual([learned("a", 5)]);
  // What was learned again is the newest.
  const [old, other, again] = [learned("a", 9), learned("b", 8), learned("a", 5)];
  expect(currentLessons([old, other, again], now)).toEqual([other, again]);
  const many = Array.from({ length: mostKept + 5 }, (_, index) => learned(`m${index}`, 1));
  expect(currentLessons(many, now)).toHaveLength(mostKept);
  expect(currentLessons([{ ...learned("a", 0), date: "nonsense" }], now)).toEqual([]);
});

test.each([
  ["own", "/v1/chat/completions"],
  ["own", "/v1/?version=1"],
  ["anthropic", "/v1"],
  ["anthropic", "/v1/messages"],
])("what %s at …%s refuses is left out from then on", async (provider, path) => {
  const message = "tool_choice is not supported";
  const server = await serve({ status: 400, message }, { text: "Yes." }, { text: "Yes." });
  const providers = { [provider]: { base_url: `${server.url}${path}`, api_key: "k" } };
  const models = createModels({ providers, environment: {}, lessons: createMemoryLessons() });
  const request = { ...requestTo(provider, "m", [user("hi")]), toolChoice: "required" } as const;
  for (let number = 1; number <= 2; number += 1) {
    expect(textOf(await ask(models, request))).toBe("Yes.");
  }
  expect(server.requests.map(({ body }) => "tool_choice" in body)).toEqual([true, false, false]);
});
