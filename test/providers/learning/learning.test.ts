/** What a refusal changes in the next request, on the wire of each API, and that it is remembered. */
import { describe, expect, test } from "vitest";
import type { Message, StreamPart } from "../../../src/conversation/ports.ts";
import {
  createMemoryLessons,
  currentLessons,
  type LearnedLesson,
  longestKeptMs,
  mostKept,
} from "../../../src/providers/learning/lessons.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ask, callsOf, failureOf, requestTo, textOf, user } from "../parts.ts";
import { modelsAt, serve } from "../served.ts";
import { afterCalls, cases, image } from "./refusal-cases.ts";
import { formCases } from "./refused-form-cases.ts";

function noticesOf(parts: readonly StreamPart[]): string[] {
  return parts.flatMap((part) => (part.type === "notice" ? [part.message] : []));
}

describe.each([...cases, ...formCases])(
  "$name",
  ({ provider, model, asked, settings, status = 400, said, check }) => {
    const request = { ...requestTo(provider, model, [user("hi")]), ...asked };

    test("is changed once, said once, and remembered for the model alone", async () => {
      const server = await serve(
        { status, message: said },
        ...["A", "B", "C"].map((text) => ({ text })),
      );
      const lessons = createMemoryLessons();
      const models = () =>
        createModels({
          providers:
            provider === "own"
              ? { own: { base_url: `${server.url}/own/v1`, ...settings } }
              : settings === undefined
                ? {}
                : { [provider]: settings },
          environment: server.environment,
          lessons,
        });
      const parts = await ask(models(), request);
      expect(textOf(parts)).toBe("A");
      expect(noticesOf(parts)).toHaveLength(1);
      expect(noticesOf(parts)[0]).toContain(`for ${model}, so `);
      const [first, second] = server.requests;
      expect(check(second!, first!)).toBe(true);
      expect(second?.violation).toBeNull();
      // A later start of the program begins with what was learned.
      expect(textOf(await ask(models(), request))).toBe("B");
      expect(server.requests).toHaveLength(3);
      expect(check(server.requests[2]!, first!)).toBe(true);
      expect(lessons.all()).toMatchObject([{ vendor: provider, model }]);
      const other = { ...request, model: { provider, id: `${model}-other` } };
      expect(textOf(await ask(models(), other))).toBe("C");
      expect(lessons.all()).toHaveLength(1);
    });
  },
);

test("content that must be a string costs no images where a step of calls has none", async () => {
  const said = "messages[2].content must be a string";
  const server = await serve({ status: 400, message: said }, { text: "A" });
  const lessons = createMemoryLessons();
  const models = createModels({
    providers: { own: { base_url: `${server.url}/own/v1` } },
    environment: server.environment,
    lessons,
  });
  const shown: Message = { role: "user", content: [{ type: "text", text: "See" }, image] };
  await ask(models, requestTo("own", "m", [...afterCalls, shown]));
  expect(lessons.all().map(({ lesson }) => lesson)).toEqual([
    { kind: "without", what: "null_content" },
  ]);
  expect(server.requests[1]?.raw).toContain("data:image");
});

test("a refusal to show thoughts unasked costs no effort that is asked for later", async () => {
  const message = "thinking.adaptive.display: Extra inputs are not permitted";
  const server = await serve({ status: 400, message }, { text: "A" }, { text: "B" });
  const models = modelsAt(server);
  const request = requestTo("anthropic", "claude-opus-5", [user("hi")]);
  const [notice] = noticesOf(await ask(models, request));
  expect(notice).toContain("so its thoughts are not shown");
  await ask(models, { ...request, reasoningEffort: "high" });
  expect(server.requests[2]?.body.output_config).toEqual({ effort: "high" });
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

test("tools of gpt-5.5 use Responses, and without it, chat completions without reasoning", async () => {
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
  "'messages.2' : for 'role:tool' the following must be satisfied[('messages.2' : property 'name' is unsupported)]",
  "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
  "Message of role 'tool' is missing its tool_call_id, which is not allowed",
])("a result that lacks something does not send calls as text: %s", async (message) => {
  const server = await serve({ status: 400, message });
  const models = createModels({
    providers: { own: { base_url: `${server.url}/own/v1` } },
    environment: {},
  });
  const request = { ...requestTo("own", "m", [user("hi")]), messages: afterCalls };
  expect(failureOf(await ask(models, request)).status).toBe(400);
  expect(server.requests).toHaveLength(1);
});

test.each([
  "'max_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 1200 input tokens",
  "input length and `max_tokens` exceed the limit: 1200 + 32000 > 32768",
])("a window that is too small is not a limit of the output: %s", async (message) => {
  const server = await serve({ status: 400, message });
  const request = requestTo("anthropic", "qwen3-max", [user("hi")]);
  expect(failureOf(await ask(modelsAt(server), request)).status).toBe(400);
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

test.each([
  ["refused as well", { status: 400, message: "Invalid seed" }],
  ["not heard", { status: 429, message: "Slow down" }],
])("what a refusal taught is not kept where the request without it is %s", async (_, then) => {
  const server = await serve({ status: 400, message: "temperature is not supported" }, then, {
    text: "A",
  });
  const lessons = createMemoryLessons();
  const models = createModels({
    providers: {},
    environment: server.environment,
    lessons,
    retries: { maxRetries: 0 },
  });
  const request = { ...requestTo("xai", "grok-4", [user("hi")]), sampling: { temperature: 0.5 } };
  expect(failureOf(await ask(models, request)).status).toBe(then.status);
  expect(lessons.all()).toEqual([]);
  expect(textOf(await ask(models, request))).toBe("A");
  expect(server.requests.map(({ body }) => "temperature" in body)).toEqual([true, false, true]);
});

test("a program is not told of a log that it does not have", async () => {
  const server = await serve(
    { status: 400, message: "temperature is not supported" },
    { text: "A" },
  );
  const { environment } = server;
  const request = { ...requestTo("xai", "grok-4", [user("hi")]), sampling: { temperature: 0.5 } };
  const [notice = ""] = noticesOf(await ask(createModels({ providers: {}, environment }), request));
  expect(notice).toMatch(/If that works, it is remembered while this program runs\.$/);
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

test.each([
  ["with tools", undefined],
  ["without one", []],
])("earlier calls go as text to a template that knows no results, %s", async (_, tools) => {
  const refused = { status: 400, message: "Conversation roles must alternate user/assistant/…" };
  const server = await serve(refused, refused, { text: "A" }, { text: "B" });
  const base_url = `${server.url}/v1`;
  const models = createModels({ providers: { own: { base_url } }, environment: {} });
  const question = requestTo("own", "gemma-3", [...afterCalls, user("And now?")]);
  const request = { ...question, ...(tools === undefined ? {} : { tools }) };
  expect(textOf(await ask(models, request))).toBe("A");
  expect(server.requests[2]?.raw).toContain("$911");
  expect(server.requests[2]?.raw).not.toContain('"tool_calls"');
  expect(textOf(await ask(models, request))).toBe("B");
});

test("of a text that is too long, nothing is learned about calls without one", async () => {
  const message =
    "Invalid 'messages[3].content': string too long. Expected a string with maximum length 10485760.";
  const server = await serve({ status: 400, message });
  const request = { ...requestTo("deepseek", "m", []), messages: afterCalls };
  await ask(modelsAt(server), request);
  expect(server.requests).toHaveLength(1);
});

/** In the stream of an answer that was a success so far. */
const told = (message: string) =>
  `data: ${JSON.stringify({ error: { message, type: "invalid_request_error" } })}\n\n`;

test("a refusal that comes as the first event of a stream teaches, one behind text does not", async () => {
  const refused = told("temperature is not supported");
  const text = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "One" } }] })}\n\n`;
  const server = await serve({ raw: [refused] }, { text: "A" }, { raw: [text, refused] });
  const request = { ...requestTo("xai", "grok-4", [user("hi")]), sampling: { temperature: 0.5 } };
  expect(textOf(await ask(modelsAt(server), request))).toBe("A");
  const parts = await ask(modelsAt(server), request);
  expect([textOf(parts), failureOf(parts).kind]).toEqual(["One", "invalid-request"]);
  expect(server.requests).toHaveLength(3);
});

test.each([404, 405, 501])(
  "an address without the Responses API (%i) is asked by another",
  async (status) => {
    const server = await serve({ status, message: "" }, { text: "A" });
    const request = requestTo("openai", "gpt-5.2-pro", [user("hi")]);
    expect(textOf(await ask(modelsAt(server), request))).toBe("A");
    expect(server.requests.map(({ api }) => api)).toEqual(["responses", "openai"]);
  },
);

test("an effort that is refused, although it is among those that are told, is left out", async () => {
  const message =
    "Unsupported value: 'reasoning_effort' does not support 'high'. Supported values are: 'minimal', 'low', 'medium', and 'high'.";
  const server = await serve({ status: 400, message }, { text: "A" });
  const request = {
    ...requestTo("openai", "gpt-5", [user("hi")]),
    reasoningEffort: "high",
  } as const;
  expect(textOf(await ask(modelsAt(server), request))).toBe("A");
  expect(server.requests[1]?.body).not.toHaveProperty("reasoning_effort");
});

const without = { system: "", tools: [] };
const signature = "Function call is missing a thought_signature in functionCall parts.";

/** What would be learned is what the request did already, or nothing that it had. */
test.each([
  ["a model that is not there", "openai", "gpt-5.2-pro", 404, "The model `x` does not exist", {}],
  ["another number", "anthropic", "qwen3", 400, "max_tokens is invalid (code 42)", {}],
  ["ids that are too short", "own", "m", 400, "Tool call id must have a length of 5", {}],
  ["a tool, where an address is missing", "own", "m", 404, "Invalid tool `web_search`", {}],
  ["a system text that was not sent", "own", "m", 400, "System role not supported", without],
  ["a signature that was sent", "google", "gemini-3-flash", 400, signature, {}],
])("nothing is learned of %s", async (_, provider, id, status, message, change) => {
  const server = await serve({ status, message });
  const settings = { base_url: `${server.url}/v1` };
  const providers = provider === "own" ? { own: settings } : {};
  const models = createModels({ providers, environment: server.environment });
  const request = { ...requestTo(provider, id, afterCalls), ...change };
  const parts = await ask(models, request);
  expect(failureOf(parts)).toMatchObject({ status, said: message });
  expect(noticesOf(parts)).toEqual([]);
  expect(server.requests).toHaveLength(1);
});

test("ids that are refused as they were asked for are told", async () => {
  const refused = { status: 400, message: "Tool call id must have a length of 9." };
  const server = await serve(refused, refused);
  const own = { base_url: `${server.url}/v1` };
  const models = createModels({ providers: { own }, environment: {} });
  expect(failureOf(await ask(models, requestTo("own", "m", afterCalls))).status).toBe(400);
  expect(server.requests).toHaveLength(2);
});

test("lessons are few, each once, and end after a month", () => {
  const now = Date.parse("2026-11-21T00:00:00Z");
  const lesson = { kind: "without", what: "temperature" } as const;
  const learned = (model: string, age: number): LearnedLesson => ({
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
