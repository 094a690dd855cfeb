import { describe, expect, test } from "vitest";
import type { Message, ModelRequest, StreamPart } from "../../../src/conversation/ports.ts";
import { demoQueries } from "../../../src/providers/mock/mock-demo.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ask, callsOf, failureOf, outline, requestTo, textOf, user } from "../parts.ts";

const models = createModels({ providers: {}, environment: { PARLEY_MOCK_DELAY_MS: "0" } });
const question = "can you find the latest stock price of google and microsoft?";

function request(messages: readonly Message[], changes: Partial<ModelRequest> = {}): ModelRequest {
  return { ...requestTo("mock", "demo", messages), ...changes };
}

const calling: Message = {
  role: "assistant",
  content: ["call_1", "call_2"].map((id) => ({
    type: "tool-call",
    id,
    name: "web_search",
    arguments: "{}",
  })),
};

function results(...texts: readonly (readonly [text: string, isError: boolean])[]): Message {
  return {
    role: "tool",
    results: texts.map(([text, isError], index) => ({
      type: "tool-result",
      callId: `call_${index + 1}`,
      name: "web_search",
      isError,
      content: [{ type: "text", text }],
    })),
  };
}

function found(title: string, snippet: string): readonly [string, boolean] {
  return [JSON.stringify({ matches: [{ title, snippet }], note: "canned" }), false];
}

async function answer(...texts: readonly (readonly [string, boolean])[]): Promise<string> {
  return textOf(await ask(models, request([user(question), calling, results(...texts)])));
}

test("searches twice for the question of the requirements", async () => {
  const parts = await ask(models, request([user(question)]));
  expect(outline(parts)).toEqual([
    "text Sure, I need to search the web.",
    'call call_1 {"query":"google stock price"}',
    'call call_2 {"query":"microsoft stock price"}',
    "finish tool-calls",
  ]);
  expect(parts.filter(({ type }) => type === "text-delta").length).toBeGreaterThan(5);
});

test("uses what was found", async () => {
  const text = await answer(found("GOOGL", "$911 as of today"), found("MSFT", "$544 as of today"));
  const [said, summary] = text.split("\n\n");
  expect(said).toBe("GOOGL is at $911 and MSFT at $544 as of today. Do you want something else?");
  expect(summary).toMatch(/^📝: .*GOOGL: \$911 as of today; MSFT: \$544 as of today$/);
});

test("lists what are no prices", async () => {
  const text = await answer(found("Weather today", "18 °C"), ["plain words", false]);
  expect(text).toContain("- Weather today: 18 °C\n- web_search: plain words");
});

test("says what was declined, what failed and what was empty", async () => {
  const declined = ["Declined by the user.", true] as const;
  expect(await answer(declined, declined)).toContain("You declined the search");
  const some = await answer(found("GOOGL", "$911 as of today"), declined);
  expect(some).toContain("GOOGL is at $911 as of today.");
  expect(some).toContain("left out what you declined");
  expect(await answer(["timed out", true], declined)).toContain("did not work: timed out");
  expect(await answer(['{"matches":[]}', false])).toContain("found nothing");
});

test("answers plainly otherwise, with a summary", async () => {
  for (const [asked, tools] of [
    ["who are you?", requestTo("mock", "demo", []).tools],
    [question, []],
  ] as const) {
    const parts = await ask(models, request([user(asked)], { tools }));
    expect(callsOf(parts)).toEqual([]);
    expect(textOf(parts)).toMatch(/\n\n📝: you asked “.*”, and I answered: .+$/);
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  }
});

test("calls nothing when told so", async () => {
  expect(callsOf(await ask(models, request([user(question)], { toolChoice: "none" })))).toEqual([]);
});

test("searches again for the next question, with ids that are new in the chat", async () => {
  const chat = [user(question), calling, results(found("a", "b"), found("c", "d"))];
  const next = [...chat, user("and the weather in Paris?")];
  const calls = callsOf(await ask(models, request(next)));
  expect(calls.map(({ id }) => id)).toEqual(["call_3", "call_4"]);
});

test("says the same every time", async () => {
  const [first, second] = [
    await ask(models, request([user(question)])),
    await ask(models, request([user(question)])),
  ];
  expect(first).toEqual(second);
});

test("stops in the middle, also without pauses", async () => {
  for (const delay of ["0", "10000"]) {
    const slow = createModels({ providers: {}, environment: { PARLEY_MOCK_DELAY_MS: delay } });
    const controller = new AbortController();
    const parts: StreamPart[] = [];
    const stream = slow.stream(request([user(question)]), { signal: controller.signal });
    setImmediate(() => controller.abort());
    for await (const part of stream) {
      parts.push(part);
      await new Promise(setImmediate);
    }
    expect(failureOf(parts).kind).toBe("aborted");
    expect(callsOf(parts)).toEqual([]);
  }
});

test("shows its request", () => {
  const { system, messages, tools } = request([user(question)]);
  expect(models.wire(request([user(question)]))).toEqual({
    provider: "mock",
    api: "mock",
    model: "demo",
    body: { system, messages, tools },
  });
});

describe("queries", () => {
  test.each([
    [question, ["google stock price", "microsoft stock price"]],
    [
      "google, apple and nvidia stock prices please",
      ["google stock price", "apple stock price", "nvidia stock price"],
    ],
    ["What's the weather in Paris?", ["paris weather", "paris weather today"]],
    ["What is the news today?", ["news", "news today"]],
    ["latest", ["latest", "latest today"]],
    ["", ["news", "news today"]],
  ])("of “%s”", (asked, queries) => {
    expect(demoQueries(asked)).toEqual(queries);
  });
});
