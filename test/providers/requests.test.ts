import { describe, expect, test } from "vitest";
import {
  type AssistantMessage,
  type Message,
  reasoningEfforts,
  type ToolChoice,
} from "../../src/conversation/ports.ts";
import { toAnthropicRequest } from "../../src/providers/anthropic/anthropic-request.ts";
import { createModels } from "../../src/providers/models.ts";
import { toOpenAIRequest } from "../../src/providers/openai-chat/openai-request.ts";
import { fitRequest } from "../../src/providers/request/fit-request.ts";
import { vendors } from "../../src/providers/vendors/vendors.ts";
import { compatibleVendors } from "../support/model-server.ts";
import { checkAnthropicMessages } from "../support/model-server-anthropic-rules.ts";
import { checkOpenAIMessages } from "../support/model-server-openai-rules.ts";
import fc from "../support/property.ts";
import { requestArbitrary } from "./arbitrary-history.ts";
import { requestTo, user, webSearch } from "./parts.ts";
import { result, turn } from "./turn.ts";

const settings = fc.record(
  {
    toolChoice: fc.constantFrom<ToolChoice>("auto", "required", "none", { tool: "web_search" }),
    parallelToolCalls: fc.boolean(),
    sampling: fc.constant({ temperature: 0.5, top_p: 0.5 }),
    maxOutputTokens: fc.constant(100),
    reasoningEffort: fc.constantFrom(...reasoningEfforts),
  },
  { requiredKeys: [] },
);

const image = { type: "image" as const, mime: "image/png", data: "aGk=" };

describe("any history", () => {
  test("is one that OpenAI accepts", () => {
    fc.assert(
      fc.property(requestArbitrary("openai"), (request) => {
        expect(checkOpenAIMessages(toOpenAIRequest(request))).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });

  test.each(compatibleVendors)("is one that %s accepts, with any settings", (provider) => {
    const vendor = vendors.get(provider)!;
    const model = fc.constantFrom(...vendor.models);
    fc.assert(
      fc.property(requestArbitrary(provider), settings, model, (history, set, id) => {
        const { request } = fitRequest({ ...history, ...set, model: { provider, id } }, vendor);
        expect(checkOpenAIMessages(toOpenAIRequest(request), provider)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  test("is one that Anthropic accepts, with roles that alternate", () => {
    fc.assert(
      fc.property(requestArbitrary("anthropic"), (request) => {
        const body = toAnthropicRequest(request);
        expect(checkAnthropicMessages(body)).toBeNull();
        const roles = body.messages.map(({ role }) => role);
        expect(roles).toEqual(roles.map((_, index) => (index % 2 === 0 ? "user" : "assistant")));
      }),
      { numRuns: 1000 },
    );
  });

  test("is one that each of Anthropic's models accepts, with any settings", () => {
    const manual = ["claude-3-7-sonnet-20250219", "claude-opus-4-20250514", "claude-opus-4-5"];
    const model = fc.constantFrom(
      ...vendors.get("anthropic")!.models,
      ...manual,
      "claude-sonnet-4-5",
    );
    const anthropic = vendors.get("anthropic")!;
    fc.assert(
      fc.property(requestArbitrary("anthropic"), settings, model, (history, set, id) => {
        const asked = { ...history, ...set, model: { provider: "anthropic", id } };
        const { request } = fitRequest(asked, anthropic);
        expect(checkAnthropicMessages(toAnthropicRequest(request))).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  test("begins as a longer one begins that goes on after it", () => {
    fc.assert(
      fc.property(requestArbitrary("openai"), (request) => {
        const begun = [...request.messages, user("and now?")];
        const longer = [...begun, ...turn.slice(1)];
        const before = toOpenAIRequest({ ...request, messages: begun });
        const after = toOpenAIRequest({ ...request, messages: longer });
        expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
      }),
    );
  });

  test("is left as it was", () => {
    fc.assert(
      fc.property(requestArbitrary("anthropic"), (request) => {
        const copy = structuredClone(request);
        toAnthropicRequest(request);
        toOpenAIRequest(request);
        expect(request).toEqual(copy);
      }),
    );
  });
});

describe("neighbours of one role", () => {
  const said = (text: string): AssistantMessage => ({
    role: "assistant",
    content: [{ type: "text", text }],
  });
  const history = [
    user("one"),
    user("two"),
    said("three"),
    {
      ...said("four"),
      state: { api: "anthropic-messages", blocks: [{ type: "text", text: "x" }] },
    },
    user("five"),
  ];

  test("are one message for OpenAI", () => {
    const { messages } = toOpenAIRequest(requestTo("openai", "gpt-5", history));
    expect(messages.slice(1)).toEqual([
      { role: "user", content: "one\n\ntwo" },
      { role: "assistant", content: "three\n\nfour" },
      { role: "user", content: "five" },
    ]);
  });

  test("are one message for Anthropic, without the state of either", () => {
    const { messages } = toAnthropicRequest(requestTo("anthropic", "claude-opus-5", history));
    const texts = messages.map(({ content }) =>
      typeof content === "string" ? content : content.map((block) => "text" in block && block.text),
    );
    expect(texts).toEqual([["one", "two"], ["three", "four"], ["five"]]);
  });
});

describe("OpenAI", () => {
  test("gets the turn in the shape of the chat completions API", () => {
    const { messages, tools, ...rest } = toOpenAIRequest(requestTo("openai", "gpt-5", turn));
    expect(messages).toEqual([
      { role: "developer", content: "Be short." },
      { role: "user", content: "prices?" },
      {
        role: "assistant",
        content: "I search.",
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: { name: "web_search", arguments: '{"query": "x"}' },
          },
          {
            id: "call_2",
            type: "function",
            function: { name: "web_search", arguments: '{"query": "x"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "$911" },
      { role: "tool", tool_call_id: "call_2", content: "Error: no" },
      { role: "assistant", content: "$911." },
      { role: "user", content: "thanks" },
    ]);
    expect(tools).toHaveLength(1);
    expect(rest).toEqual({
      model: "gpt-5",
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("gets `system` for models that know no developer, and its own field for the limit", () => {
    const request = { ...requestTo("openai", "gpt-4o", [user("hi")]), maxOutputTokens: 100 };
    const body = toOpenAIRequest(request);
    expect(body.messages[0]).toEqual({ role: "system", content: "Be short." });
    expect(body.max_completion_tokens).toBe(100);
    expect(body).not.toHaveProperty("max_tokens");
  });

  test("gets the images of results after all of them, joined with the question that follows", () => {
    const shown = { ...result("call_1", "a picture"), content: [image] };
    const messages: Message[] = [
      ...turn.slice(0, 2),
      { role: "tool", results: [shown, result("call_2", "ok")] },
    ];
    const loop = toOpenAIRequest(requestTo("openai", "gpt-5", messages)).messages.slice(3);
    expect(loop.map(({ role }) => role)).toEqual(["tool", "tool", "user"]);
    const next = toOpenAIRequest(
      requestTo("openai", "gpt-5", [...messages, user("and?")]),
    ).messages;
    expect(next.at(-1)).toEqual({
      role: "user",
      content: [
        { type: "text", text: "From web_search (call_1):" },
        { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
        { type: "text", text: "and?" },
      ],
    });
  });

  test("gets tool choice and the parallel setting only with tools", () => {
    const request = {
      ...requestTo("openai", "gpt-5", [user("hi")]),
      toolChoice: { tool: "web_search" },
      parallelToolCalls: false,
    };
    expect(toOpenAIRequest(request)).toMatchObject({
      tool_choice: { type: "function", function: { name: "web_search" } },
      parallel_tool_calls: false,
    });
    const without = toOpenAIRequest({ ...request, tools: [] });
    for (const key of ["tools", "tool_choice", "parallel_tool_calls"]) {
      expect(without).not.toHaveProperty(key);
    }
  });

  test("gets the same bytes whatever the order of the tools", () => {
    const other = { ...webSearch, name: "another" };
    const request = requestTo("openai", "gpt-5", turn);
    const one = JSON.stringify(toOpenAIRequest({ ...request, tools: [webSearch, other] }));
    expect(JSON.stringify(toOpenAIRequest({ ...request, tools: [other, webSearch] }))).toBe(one);
  });
});

describe("Anthropic", () => {
  test("gets the turn in the shape of the messages API", () => {
    const { messages, tools, ...rest } = toAnthropicRequest(
      requestTo("anthropic", "claude-sonnet-4-5", turn),
    );
    const use = { type: "tool_use", name: "web_search", input: { query: "x" } };
    expect(messages).toEqual([
      { role: "user", content: [{ type: "text", text: "prices?" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I search." },
          { ...use, id: "call_1" },
          { ...use, id: "call_2" },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: [{ type: "text", text: "$911" }] },
          {
            type: "tool_result",
            tool_use_id: "call_2",
            content: [{ type: "text", text: "no" }],
            is_error: true,
          },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "$911." }] },
      { role: "user", content: [{ type: "text", text: "thanks" }] },
    ]);
    expect(tools).toHaveLength(1);
    expect(rest).toEqual({
      model: "claude-sonnet-4-5",
      max_tokens: 64_000,
      system: "Be short.",
      cache_control: { type: "ephemeral" },
      stream: true,
    });
  });

  test("gets a failed result with an image as a text that says so, since the mark is refused", () => {
    const failed = { ...result("call_1", "no page", true) };
    const sent = (content: typeof failed.content | readonly (typeof image)[]) => {
      const results = [{ ...failed, content: [...content, image] }, result("call_2", "no", true)];
      const messages = [...turn.slice(0, 2), { role: "tool" as const, results }];
      const body = toAnthropicRequest(requestTo("anthropic", "claude-sonnet-4-5", messages));
      expect(checkAnthropicMessages(body)).toBeNull();
      return body.messages.at(-1)?.content;
    };
    const shown = expect.objectContaining({ type: "image" });
    expect(sent(failed.content)).toMatchObject([
      { content: [{ type: "text", text: "Error: no page" }, shown] },
      { content: [{ type: "text", text: "no" }], is_error: true },
    ]);
    expect(sent([])).toMatchObject([
      { content: [{ type: "text", text: "Error: the call failed." }, shown] },
      { is_error: true },
    ]);
  });

  test("gets an empty list of tools when there is tool history and none is offered", () => {
    const request = requestTo("anthropic", "claude-sonnet-4-5", turn);
    expect(toAnthropicRequest({ ...request, tools: [] }).tools).toEqual([]);
    const plain = { ...request, tools: [], messages: [user("hi")] };
    expect(toAnthropicRequest(plain)).not.toHaveProperty("tools");
  });

  test.each([
    ["auto", undefined, { type: "auto" }],
    ["required", false, { type: "any", disable_parallel_tool_use: true }],
    ["none", false, { type: "none" }],
    [undefined, false, { type: "auto", disable_parallel_tool_use: true }],
    [{ tool: "web_search" }, true, { type: "tool", name: "web_search" }],
  ] as const)("tool choice %j, parallel %j", (toolChoice, parallelToolCalls, expected) => {
    const request = requestTo("anthropic", "claude-sonnet-4-5", [user("hi")]);
    const body = toAnthropicRequest({
      ...request,
      ...(toolChoice === undefined ? {} : { toolChoice }),
      ...(parallelToolCalls === undefined ? {} : { parallelToolCalls }),
    });
    expect(body.tool_choice).toEqual(expected);
  });

  test("the output limit is the model's, or less when asked for less", () => {
    const limit = (id: string, maxOutputTokens?: number) =>
      toAnthropicRequest({
        ...requestTo("anthropic", id, [user("hi")]),
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      }).max_tokens;
    expect([
      limit("claude-opus-4-1-20250805"),
      limit("claude-opus-4-6"),
      limit("claude-3-5-sonnet-latest"),
      limit("claude-opus-4-1", 1000),
      limit("claude-opus-4-1", 1_000_000),
      limit("claude-of-tomorrow"),
      // The user knows more about a model that Parley does not know.
      limit("claude-of-tomorrow", 64_000),
    ]).toEqual([32_000, 128_000, 8_192, 1000, 32_000, 32_000, 64_000]);
  });
});

test.each([
  ["anthropic", "claude-opus-4-1", 1_000_000, "as 32000, the most that it accepts."],
  ["anthropic", "claude-opus-4-1", 32_000, null],
  ["anthropic", "claude-of-tomorrow", 64_000, null],
  ["openai", "gpt-5.5", 5, "as 16, the least that it accepts."],
  ["openai", "gpt-5.5", 16, null],
  ["openai", "gpt-4.1", 5, null],
] as const)("%s/%s is told where max_tokens: %i is not sent so", (provider, id, tokens, told) => {
  const models = createModels({ providers: {}, environment: {} });
  const asked = { ...requestTo(provider, id, [user("hi")]), maxOutputTokens: tokens };
  const sent = models.wire(asked);
  const words = `max_tokens: ${tokens} is sent to ${provider}/${id} ${told}`;
  expect("notices" in sent ? sent.notices : null).toEqual(told === null ? null : [words]);
});
