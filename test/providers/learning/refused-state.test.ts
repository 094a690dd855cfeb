/** An answer whose thoughts its vendor does not take back goes on without them; each request would be refused else. */
import { expect, test } from "vitest";
import type { AssistantMessage, Message } from "../../../src/conversation/ports.ts";
import { createMemoryLessons } from "../../../src/providers/learning/lessons.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ask, failureOf, requestTo, textOf, user } from "../parts.ts";
import { serve } from "../served.ts";
import { result } from "../turn.ts";
import { image } from "./refusal-cases.ts";

const states = {
  anthropic: {
    api: "anthropic-messages",
    blocks: [{ type: "thinking", thinking: "hm", signature: "kept-c2ln" }, { type: "tool_use" }],
  },
  openai: {
    api: "openai-responses",
    items: [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "kept-ZW5j" },
      { type: "function_call", call_id: null, name: null, arguments: null },
    ],
  },
};

function inLoop(provider: keyof typeof states, model: string) {
  const call = { type: "tool-call", id: "call_1", name: "web_search", arguments: "{}" } as const;
  const step: AssistantMessage = { role: "assistant", content: [call], state: states[provider] };
  const done = { role: "tool", results: [result("call_1", "$911")] } as const;
  return requestTo(provider, model, [user("prices?"), step, done]);
}

test.each([
  ["anthropic", "claude-opus-5", "messages.1.content.0: Invalid `signature` in `thinking` block"],
  [
    "anthropic",
    "claude-opus-5",
    "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
  ],
  ["anthropic", "claude-opus-5", "container: Container container_01 was not found or has expired"],
  [
    "openai",
    "gpt-5.2-pro",
    "The encrypted content gAAA could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
  ],
  [
    "openai",
    "gpt-5.2-pro",
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  [
    "openai",
    "gpt-5.2-pro",
    "Duplicate item found with id rs_1. Remove duplicate items from your input and try again.",
  ],
  [
    "openai",
    "gpt-5.2-pro",
    "Invalid 'input[1].id': 'thinking_0'. Expected an ID that begins with 'rs'.",
  ],
  ["openai", "gpt-5.2-pro", "input item ID does not belong to this connection"],
  [
    "openai",
    "gpt-5.2-pro",
    "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
  ],
  // Of a gateway that knows fewer fields of items, or kinds of them.
  ["openai", "gpt-5.2-pro", "Unknown parameter: 'input[1].phase'."],
  [
    "openai",
    "gpt-5.2-pro",
    "Invalid value: 'reasoning'. Supported values are: 'message'. (input[1])",
  ],
  ["anthropic", "claude-opus-5", "messages.1.content.0: Input tag 'thinking' does not match any"],
] as const)("%s: %s %s", async (provider, model, message) => {
  const server = await serve({ status: 400, message }, { text: "It is $911." }, { text: "Again." });
  const lessons = createMemoryLessons();
  const models = createModels({ providers: {}, environment: server.environment, lessons });
  const parts = await ask(models, inLoop(provider, model));
  expect(textOf(parts)).toBe("It is $911.");
  expect(parts[0]).toMatchObject({ type: "notice", message: expect.stringContaining("thoughts") });
  expect(server.requests.map(({ raw }) => raw.includes("kept-"))).toEqual([true, false]);
  expect(server.requests[1]?.violation).toBeNull();
  // It says nothing of the model.
  expect(lessons.all()).toEqual([]);
  await ask(models, inLoop(provider, model));
  expect(server.requests[2]?.raw).toContain("kept-");
});

test.each([
  ["Unknown parameter: 'input[1].phase'.", "refused a part of the history"],
  ["The encrypted content gAAA could not be verified.", "does not accept its own thoughts"],
])("the message claims no more than the refusal does: %s", async (message, said) => {
  const server = await serve({ status: 400, message }, { text: "Fine." });
  const models = createModels({ providers: {}, environment: server.environment });
  const parts = await ask(models, inLoop("openai", "gpt-5.2-pro"));
  expect(parts[0]).toMatchObject({ type: "notice", message: expect.stringContaining(said) });
});

test("the message about an image in the history is not about thoughts", async () => {
  const place = "messages.3.content.1.image.source.base64";
  const message = `${place}: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes`;
  const server = await serve({ status: 400, message }, { text: "Sent once more." });
  const models = createModels({ providers: {}, environment: server.environment });
  const request = inLoop("anthropic", "claude-opus-5");
  const shown: Message = { role: "user", content: [{ type: "text", text: "And this?" }, image] };
  const parts = await ask(models, { ...request, messages: [...request.messages, shown] });
  expect(server.requests[0]?.raw).toContain("kept-");
  expect(failureOf(parts).said).toBe(message);
  expect(server.requests).toHaveLength(1);
});

test("a refusal about something else is reported, and a request without thoughts is not repeated because of them", async () => {
  const server = await serve(
    { status: 400, message: "temperature: must be at most 1" },
    { status: 400, message: "Invalid `signature` in `thinking` block" },
  );
  const models = createModels({ providers: {}, environment: server.environment });
  const first = await ask(models, inLoop("anthropic", "claude-opus-5"));
  expect(failureOf(first).kind).toBe("invalid-request");
  const plain = requestTo("anthropic", "claude-opus-5", [user("hi")]);
  expect(failureOf(await ask(models, plain)).kind).toBe("invalid-request");
  expect(server.requests).toHaveLength(2);
});

test.each([
  [
    "Tool call id was functions.a:0 but must be a-z, A-Z, 0-9, with a length of 9.",
    /^[a-zA-Z0-9]{9}$/,
  ],
  [
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    /^functions_a_0$/,
  ],
  [
    "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 12",
    /^functions_a_$/,
  ],
])("ids of calls are learned: %s", async (message, id) => {
  const server = await serve({ status: 400, message }, { text: "Done." });
  const own = { base_url: `${server.url}/v1` };
  const models = createModels({ providers: { own }, environment: {} });
  const content = [
    { type: "tool-call", id: "functions.a:0", name: "web_search", arguments: "{}" },
  ] as const;
  const history: Message[] = [
    user("prices?"),
    { role: "assistant", content },
    { role: "tool", results: [result("functions.a:0", "$911")] },
  ];
  expect(textOf(await ask(models, requestTo("own", "m", history)))).toBe("Done.");
  const ids = server.requests.map(({ body }) => body.messages[2].tool_calls[0].id);
  expect(ids[0]).toBe("functions.a:0");
  expect(ids[1]).toMatch(id);
  expect(server.requests[1]?.violation).toBeNull();
});

test("ids that the Responses API refuses teach nothing, since it has a rule of its own", async () => {
  const message = "Invalid 'input[1].call_id': tool call id must have a maximum length 12";
  const server = await serve({ status: 400, message });
  const own = { base_url: `${server.url}/v1`, api: "openai-responses" } as const;
  const models = createModels({ providers: { own }, environment: {} });
  const parts = await ask(models, requestTo("own", "m", [user("hi")]));
  expect(failureOf(parts).said).toBe(message);
  expect(parts.map(({ type }) => type)).not.toContain("notice");
  expect(server.requests).toHaveLength(1);
});

/** MoonshotAI/kimi-agent-sdk#169, cloudwego/eino-ext#700: each step after a call was refused. */
test("thoughts that have to come back go back with the calls that followed them", async () => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const call = { index: 0, id: "b", function: { name: "web_search", arguments: "{}" } };
  const thinking = [
    chunk({ reasoning_content: "Once " }),
    chunk({ reasoning_content: "more." }),
    chunk({ tool_calls: [call] }),
    chunk({}, "tool_calls"),
  ];
  const server = await serve({ raw: thinking }, { text: "Done." });
  // This address itself refuses a call without its thoughts.
  const own = { base_url: `${server.url}/deepseek/v1` };
  const lessons = createMemoryLessons();
  const models = createModels({ providers: { own }, environment: {}, lessons });
  const step = (id: string, state?: unknown): Message[] => [
    {
      role: "assistant",
      content: [{ type: "tool-call", id, name: "web_search", arguments: "{}" }],
      state,
    },
    { role: "tool", results: [result(id, "$911")] },
  ];
  // A state of another model is there, and is not what is asked for.
  const foreign = { api: "anthropic-messages", blocks: [{ type: "tool_use" }] };
  const before = [user("prices?"), ...step("a", foreign)];
  const parts = await ask(models, requestTo("own", "kimi-k2.6", before));
  expect(parts[0]).toMatchObject({
    message: expect.stringContaining("so its thoughts are sent back"),
  });
  expect(lessons.all()).toHaveLength(1);
  const last = parts.at(-1);
  const state = last?.type === "finish" ? last.state : undefined;
  await ask(models, requestTo("own", "kimi-k2.6", [...before, ...step("b", state)]));
  const thoughts = server.requests.map(({ body }) =>
    body.messages
      .filter(({ role }: Message) => role === "assistant")
      .map((message: Record<string, unknown>) => message.reasoning_content),
  );
  // A blank replaces thoughts that were not kept: an empty text counts as none.
  expect(thoughts).toEqual([[undefined], [" "], [" ", "Once more."]]);
});
