import { describe, expect, test } from "vitest";
import type { Message, StreamPart } from "../../../src/conversation/ports.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ask, callsOf, collect, requestTo, textOf, user } from "../parts.ts";
import { serve } from "../served.ts";
import { arguments1, arguments2, sse } from "../stream-fixture.ts";
import { result, turn } from "../turn.ts";

function chunks(...deltas: readonly object[]): string {
  const events = deltas.map((delta) => sse({ choices: [{ index: 0, delta }] }));
  const end = sse({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
  return `${events.join("")}${end}data: [DONE]\n\n`;
}

function call(index: number, json: string, more: object = {}) {
  const called = { name: "web_search", arguments: json };
  return {
    tool_calls: [{ index, id: `call_${index}`, type: "function", function: called, ...more }],
  };
}

const signature = { extra_content: { google: { thought_signature: "c2ln+/==" } } };

const thought = { type: "reasoning.text", text: "I should search.", format: "a", index: 0 };
const encrypted = { type: "reasoning.encrypted", data: "ZW5j", id: "r1", format: "a", index: 1 };
const details = [{ ...thought, signature: "c2ln" }, encrypted];

const detailPieces = [
  { reasoning_details: [{ ...thought, text: "I should " }] },
  { reasoning_details: [{ type: thought.type, text: "search.", index: 0 }] },
  { reasoning_details: [{ type: thought.type, index: 0, signature: "c2ln" }] },
  { reasoning_details: [encrypted] },
];

const cases = [
  {
    provider: "google",
    model: "gemini-3.8-flash",
    stream: chunks({ content: "I search." }, call(0, arguments1, signature), call(1, arguments2)),
    back: {
      tool_calls: [expect.objectContaining(signature), expect.not.objectContaining(signature)],
    },
  },
  {
    provider: "deepseek",
    model: "deepseek-v4-pro",
    stream: chunks(
      { reasoning_content: "I should " },
      { reasoning_content: "search." },
      { content: "I search." },
      call(0, arguments1),
      call(1, arguments2),
    ),
    back: { reasoning_content: "I should search." },
  },
  {
    provider: "openrouter",
    model: "anthropic/claude-sonnet-5.5",
    stream: chunks(
      ...detailPieces,
      { content: "I search." },
      call(0, arguments1),
      call(1, arguments2),
    ),
    back: { reasoning_details: details },
  },
];

function answerOf(parts: readonly StreamPart[]): Message {
  const last = parts.at(-1);
  return {
    role: "assistant",
    content: [
      { type: "text", text: textOf(parts) },
      ...callsOf(parts).map((each) => ({ type: "tool-call" as const, ...each })),
    ],
    state: last?.type === "finish" ? last.state : undefined,
  };
}

describe.each(cases)("the state of $provider", ({ provider, model, stream, back }) => {
  async function exchange(change: (answer: Message) => Message) {
    const server = await serve({ raw: [stream] }, { text: "Done." });
    const models = createModels({ providers: {}, environment: server.environment });
    const first = await ask(models, requestTo(provider, model, [user("prices?")]));
    expect(callsOf(first).map((each) => each.arguments)).toEqual([arguments1, arguments2]);
    const answer = change(answerOf(first));
    const results: Message = {
      role: "tool",
      results: callsOf(first).map(({ id }) => result(id, "ok")),
    };
    const { signal } = new AbortController();
    const request = requestTo(provider, model, [user("prices?"), answer, results]);
    const second = await collect(models.stream(request, { signal }));
    expect(second.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
    expect(server.requests.map(({ violation }) => violation)).toEqual([null, null]);
    return server.requests[1]?.body.messages.find(({ role }: Message) => role === "assistant");
  }

  test("goes back as it came", async () => {
    expect(await exchange((answer) => answer)).toMatchObject(back);
  });

  test("that was dropped, or is of other calls, is done without", async () => {
    const plain = await exchange((answer) => ({ ...answer, state: undefined }) as Message);
    expect(plain).not.toMatchObject(back);
    const other = { api: "openai-chat", message: { reasoning_details: details }, calls: [{}] };
    const foreign = await exchange((answer) => ({ ...answer, state: other }) as Message);
    expect(foreign).toEqual(plain);
    const made = { model: { provider, id: "another-model" } };
    expect(await exchange((answer) => ({ ...answer, ...made }) as Message)).toEqual(plain);
  });
});

test("vendors that want nothing back keep nothing", async () => {
  const stream = chunks({ reasoning_content: "Hm." }, call(0, arguments1, signature));
  const server = await serve({ raw: [stream] });
  const models = createModels({ providers: {}, environment: server.environment });
  const parts = await ask(models, requestTo("xai", "grok-4.5", turn));
  expect(parts.at(-1)).not.toHaveProperty("state");
});

test("what a server of one's own signs goes back as it came: Gemini may be behind it", async () => {
  const stream = chunks(call(0, arguments1, signature));
  const server = await serve({ raw: [stream] }, { text: "Done." });
  const own = { base_url: `${server.url}/own/v1` };
  const models = createModels({ providers: { own }, environment: {} });
  const first = await ask(models, requestTo("own", "gemini-3", [user("prices?")]));
  const end = first.at(-1);
  const answer: Message = {
    role: "assistant",
    content: callsOf(first).map((made) => ({ type: "tool-call", ...made })),
    model: { provider: "own", id: "gemini-3" },
    state: end?.type === "finish" ? end.state : undefined,
  };
  const results = {
    role: "tool",
    results: callsOf(first).map(({ id }) => result(id, "ok")),
  } as const;
  await ask(models, requestTo("own", "gemini-3", [user("prices?"), answer, results]));
  expect(server.requests[1]?.body.messages[2].tool_calls[0]).toMatchObject(signature);
});

test("where OpenRouter's thoughts have to come back as text, that of the details does", async () => {
  const stream = chunks(...detailPieces, call(0, arguments1));
  const message = "The `reasoning_content` in the thinking mode must be passed back to the API.";
  const server = await serve({ raw: [stream] }, { status: 400, message }, { text: "Done." });
  const models = createModels({ providers: {}, environment: server.environment });
  const id = "deepseek/deepseek-v4-pro";
  const first = await ask(models, requestTo("openrouter", id, turn));
  const found: Message = {
    role: "tool",
    results: callsOf(first).map(({ id }) => result(id, "ok")),
  };
  const messages = [...turn, answerOf(first), found];
  expect(textOf(await ask(models, requestTo("openrouter", id, messages)))).toBe("Done.");
  const sent: Record<string, unknown>[] = server.requests[2]?.body.messages;
  const answers = sent.filter(({ role }) => role === "assistant");
  // What was not kept of the answer above is a blank.
  expect(answers.map((each) => each.reasoning_content)).toEqual([" ", " ", "I should search."]);
  expect(answers.at(-1)).toMatchObject({ reasoning_details: details });
  expect(server.requests[2]?.violation).toBeNull();
});
