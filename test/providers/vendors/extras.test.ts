/** Recipes of doc/vendors.md: headers, parameters and fields of the user's own, on the wire. */
import { describe, expect, test } from "vitest";
import type { Message } from "../../../src/conversation/ports.ts";
import type { ProviderConfiguration } from "../../../src/conversation/settings/vendor-settings.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ask, callsOf, requestTo, textOf, user } from "../parts.ts";
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
  ...[
    ["LiteLLM", "litellm", "team/gpt-4o", "/v1", { "x-litellm-tags": "parley" }],
    ["llama.cpp", "llamacpp", "default", "/v1", {}],
    ["LM Studio", "lmstudio", "qwen/qwen3-4b", "/v1", {}],
    ["Groq", "groq", "openai/gpt-oss-120b", "/openai/v1", {}],
    ["Together", "together", "meta-llama/Llama-4-Maverick", "/v1", {}],
  ].map(
    ([name, provider, model, path, headers]): Recipe => ({
      name: String(name),
      provider: String(provider),
      model: String(model),
      settings: (url) => ({
        base_url: `${url}${path}`,
        headers: headers as Record<string, string>,
      }),
      path: `${path}/chat/completions`,
      headers: { authorization: "Bearer sk-secret-1", ...(headers as Record<string, string>) },
    }),
  ),
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
  test("goes over the wire, and is in the preview", async () => {
    const reply = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
    const block =
      'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi"}}\n\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n';
    const server = await serve({ raw: [provider === "anthropic" ? block : reply] });
    const models = createModels({
      providers: { [provider]: { api_key: "sk-secret-1", ...settings(server.url) } },
      environment: {},
    });
    const request = { ...requestTo(provider, model, [user("hi")]), tools: [] };
    // The vendors' own rules do not know what a user adds.
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

/** What each of these servers sends of one call, as recorded from their documentation. */
const chunk = (delta: object, finish: string | null = null, rest: object = {}) =>
  `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`;
const part = (id: string | null, name: string | null, args: unknown, more: object = {}) => ({
  tool_calls: [
    {
      index: 0,
      ...(id === null ? {} : { id, type: "function" }),
      function: { ...(name === null ? {} : { name }), arguments: args },
      ...more,
    },
  ],
});
const usage = { usage: { prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 } };
const done = "data: [DONE]\n\n";

test.each([
  {
    name: "Azure OpenAI",
    path: "/openai/v1?api-version=preview",
    stream: [
      // The filter speaks before the model does, and beside each of its pieces.
      `data: ${JSON.stringify({ id: "", model: "", object: "", created: 0, choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: "safe" } } }] })}\n\n`,
      chunk({
        role: "assistant",
        content: null,
        refusal: null,
        ...part("call_1", "web_search", ""),
      }),
      chunk(part(null, null, '{"query"')),
      chunk(part(null, null, ':"x"}')),
      chunk({}, "tool_calls"),
      `data: ${JSON.stringify({ id: "x", choices: [{ index: 0, finish_reason: null, content_filter_offsets: { start_offset: 0 }, content_filter_results: {}, delta: {} }] })}\n\n`,
      `data: ${JSON.stringify({ id: "x", choices: [], ...usage })}\n\n`,
      done,
    ],
  },
  {
    name: "vLLM",
    path: "/v1",
    stream: [
      chunk({ role: "assistant", content: "", reasoning_content: null }, null, { usage: null }),
      chunk({ reasoning_content: "Hm." }),
      chunk(part("chatcmpl-tool-9f", "web_search", null)),
      chunk(part(null, null, '{"query": ')),
      chunk(part(null, null, '"x"}')),
      // It may send what was sent already once more with the end.
      chunk(part(null, null, ""), "tool_calls", { stop_reason: null }),
      `data: ${JSON.stringify({ id: "x", choices: [], ...usage })}\n\n`,
      done,
    ],
  },
  {
    name: "LiteLLM",
    path: "/v1",
    stream: [
      chunk({ role: "assistant", content: "" }),
      chunk(part("chatcmpl-tool-1", "web_search", '{"query":')),
      // Another id in each chunk of one call.
      chunk(part("chatcmpl-tool-2", null, '"x"}')),
      chunk({}, "tool_calls"),
      `data: ${JSON.stringify({ id: "x", choices: [], ...usage })}\n\n`,
      done,
    ],
  },
  {
    name: "llama.cpp",
    path: "/v1",
    stream: [
      chunk({ role: "assistant", content: null }),
      chunk({ reasoning_content: "Hm." }),
      chunk(part("Q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6", "web_search", "{")),
      chunk(part(null, null, '"query":"x"}')),
      chunk({}, "tool_calls", { timings: { predicted_n: 7 } }),
      `data: ${JSON.stringify({ choices: [], ...usage, timings: {} })}\n\n`,
      done,
    ],
  },
  {
    name: "LM Studio",
    path: "/v1",
    stream: [
      chunk({ role: "assistant", ...part("123456789", "web_search", "") }),
      chunk(part(null, null, '{"query"')),
      chunk(part(null, null, ':"x"}')),
      chunk({}, "tool_calls"),
      `data: ${JSON.stringify({ choices: [], ...usage })}\n\n`,
      done,
    ],
  },
  {
    name: "Groq",
    path: "/openai/v1",
    stream: [
      chunk({ role: "assistant", content: null }, null, { x_groq: { id: "req_1" } }),
      chunk({ reasoning: "Hm." }),
      chunk(part("fc_1", "web_search", '{"query":"x"}')),
      chunk({}, "tool_calls", { x_groq: { id: "req_1", ...usage } }),
      `data: ${JSON.stringify({ choices: [], ...usage })}\n\n`,
      done,
    ],
  },
  {
    name: "Together",
    path: "/v1",
    stream: [
      chunk({ role: "assistant", content: "", token_id: 1 }, null, { usage: null }),
      chunk(part("call_abc", "web_search", "")),
      chunk(part(null, null, '{"query":"x"}')),
      chunk({ content: "" }, "tool_calls", usage),
      done,
    ],
  },
])(
  "a turn with $name: the tool goes out plainly, its call is read, its result goes back",
  async ({ name, path, stream }) => {
    const answer = [chunk({ role: "assistant", content: "Found." }), chunk({}, "stop"), done];
    const server = await serve({ raw: stream }, { raw: answer });
    const provider = name.toLowerCase().replace(/\W/g, "");
    const models = createModels({
      providers: { [provider]: { base_url: `${server.url}${path}`, api_key: "k" } },
      environment: {},
    });
    const request = requestTo(provider, "some/model", [user("hi")]);
    const parts = await ask(models, request);
    const [call] = callsOf(parts);
    expect(call?.name).toBe("web_search");
    expect(JSON.parse(call?.arguments ?? "")).toEqual({ query: "x" });
    expect(parts.find((each) => each.type === "usage")).toMatchObject({
      usage: { input: 20, output: 7 },
    });
    const [sent] = server.requests;
    expect(sent?.body).toMatchObject({
      model: "some/model",
      stream: true,
      messages: [{ role: "system" }, { role: "user" }],
    });
    expect(sent?.body.tools).toEqual([
      { type: "function", function: expect.objectContaining({ name: "web_search" }) },
    ]);
    if (call === undefined) throw new Error("no call");
    const { id, arguments: args } = call;
    const result = {
      type: "tool-result",
      callId: id,
      name: "web_search",
      content: [{ type: "text", text: "$911" }],
      isError: false,
    } as const;
    const next: Message[] = [
      user("hi"),
      {
        role: "assistant",
        content: [{ type: "tool-call", id, name: "web_search", arguments: args }],
      },
      { role: "tool", results: [result] },
    ];
    expect(textOf(await ask(models, { ...request, messages: next }))).toBe("Found.");
    expect(server.requests[1]?.violation).toBeNull();
    expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({
      role: "tool",
      content: "$911",
    });
  },
);

test("a turn with a company's gateway for Claude goes there twice, with its headers and the call's result", async () => {
  const event = (type: string, fields: object = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const delta = (fields: object) => event("content_block_delta", { index: 0, delta: fields });
  const start = (content_block: object) =>
    event("message_start", {
      message: {
        id: "m",
        role: "assistant",
        content: [],
        usage: { input_tokens: 20, output_tokens: 1 },
      },
    }) +
    event("ping") +
    event("content_block_start", { index: 0, content_block });
  const end = (stop_reason: string) =>
    event("content_block_stop", { index: 0 }) +
    event("message_delta", { delta: { stop_reason }, usage: { output_tokens: 7 } }) +
    event("message_stop");
  const server = await serve(
    {
      raw: [
        start({ type: "tool_use", id: "toolu_1", name: "web_search", input: {} }),
        delta({ type: "input_json_delta", partial_json: '{"query"' }),
        delta({ type: "input_json_delta", partial_json: ':"x"}' }),
        end("tool_use"),
      ],
    },
    {
      raw: [
        start({ type: "text", text: "" }),
        delta({ type: "text_delta", text: "Found." }),
        end("end_turn"),
      ],
    },
  );
  const base_url = `${server.url}/claude`;
  const anthropic = { base_url, api_key: "k", headers: { "X-Team": "parley" } };
  const models = createModels({ providers: { anthropic }, environment: {} });
  const request = requestTo("anthropic", "claude-sonnet-5-5", [user("hi")]);
  const parts = await ask(models, request);
  const [call] = callsOf(parts);
  expect(call).toEqual({ id: "toolu_1", name: "web_search", arguments: '{"query":"x"}' });
  expect(parts.findLast((each) => each.type === "usage")).toMatchObject({
    usage: { input: 20, output: 7 },
  });
  const results = [
    {
      type: "tool-result",
      callId: "toolu_1",
      name: "web_search",
      content: [{ type: "text", text: "$911" }],
      isError: false,
    } as const,
  ];
  const messages: Message[] = [
    user("hi"),
    { role: "assistant", content: [{ type: "tool-call", ...call! }] },
    { role: "tool", results },
  ];
  expect(textOf(await ask(models, { ...request, messages }))).toBe("Found.");
  expect(server.requests.map(({ path, headers }) => [path, headers["x-team"]])).toEqual([
    ["/claude/v1/messages", "parley"],
    ["/claude/v1/messages", "parley"],
  ]);
  expect(server.requests.map(({ violation }) => violation)).toEqual([null, null]);
  expect(server.requests[1]?.raw).toContain("$911");
});
