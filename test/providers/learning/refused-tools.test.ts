import { describe, expect, test } from "vitest";
import type { StreamPart } from "../../../src/conversation/ports.ts";
import { createMemoryLessons } from "../../../src/providers/learning/lessons.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ask, failureOf, requestTo, textOf, user, webSearch } from "../parts.ts";
import { modelsAt, serve } from "../served.ts";
import { image } from "./refusal-cases.ts";

const tools = ["zebra", "alpha", "search"].map((name) => ({ ...webSearch, name }));

function names(body: { tools: { name?: string; function?: { name: string } }[] }) {
  return body.tools.map((tool) => tool.function?.name ?? tool.name);
}

function noticesOf(parts: readonly StreamPart[]): string[] {
  return parts.flatMap((part) => (part.type === "notice" ? [part.message] : []));
}

const refused = (message: string, status = 400) => ({ status, message });

describe("a refusal that names one tool", () => {
  test.each([
    ["openai", "gpt-5", "Invalid schema for function 'search': no", "search"],
    ["openai", "gpt-5", "Invalid 'tools[2].function.parameters': no", "zebra"],
    [
      "anthropic",
      "claude-sonnet-5-5",
      "tools.0.custom.input_schema: JSON schema is invalid",
      "alpha",
    ],
    ["mistral", "mistral-large-latest", "Invalid tool `alpha`: no such type", "alpha"],
  ])("%s/%s: %s", async (provider, id, message, dropped) => {
    const server = await serve(refused(message, provider === "mistral" ? 422 : 400), {
      text: "Hello.",
    });
    const parts = await ask(modelsAt(server), { ...requestTo(provider, id, [user("hi")]), tools });
    expect(textOf(parts)).toBe("Hello.");
    expect(noticesOf(parts)).toEqual([
      expect.stringContaining(`tool ${dropped} of the server mock`),
    ]);
    expect(server.requests.map(({ body }) => names(body))).toEqual([
      ["alpha", "search", "zebra"],
      ["alpha", "search", "zebra"].filter((name) => name !== dropped),
    ]);
  });

  test("without its name, because it is nested too deeply, leaves out the deepest", async () => {
    const inner = {
      type: "object",
      properties: { a: { type: "array", items: { type: "string" } } },
    };
    // As it is sent: references are replaced by what they name, and default values are left out.
    const deep = {
      ...webSearch,
      name: "page",
      inputSchema: {
        type: "object",
        properties: { b: { $ref: "#/$defs/b" } },
        $defs: {
          b: { type: "object", properties: { c: { $ref: "#/$defs/c" } } },
          c: { type: "object", properties: { d: { $ref: "#/$defs/d" } } },
          d: inner,
        },
      },
    };
    const flat = {
      ...webSearch,
      name: "flat",
      inputSchema: {
        type: "object",
        properties: { a: { type: "object", default: { b: { c: { d: { e: { f: { g: 1 } } } } } } } },
      },
    };
    const message =
      "A FunctionDeclaration in the request exceeds the maximum allowed nesting depth.";
    const server = await serve(refused(message), { text: "Hello." });
    const question = requestTo("google", "gemini-3.8-flash", [user("hi")]);
    const parts = await ask(modelsAt(server), { ...question, tools: [...tools, deep, flat] });
    expect(textOf(parts)).toBe("Hello.");
    expect(names(server.requests[1]!.body)).toEqual(["alpha", "flat", "search", "zebra"]);
  });

  test("is heard where the name speaks of signatures, as thoughts have them", async () => {
    const signing = { ...webSearch, name: "verify_signature" };
    const message = "Invalid schema for function 'verify_signature': no";
    const server = await serve(refused(message), { text: "Hello." });
    const question = requestTo("openai", "gpt-5", [user("hi")]);
    const parts = await ask(modelsAt(server), { ...question, tools: [...tools, signing] });
    expect(textOf(parts)).toBe("Hello.");
    expect(names(server.requests[1]!.body)).toEqual(["alpha", "search", "zebra"]);
  });

  test.each([
    [
      "gpt-5",
      "sequentialthinking",
      "Invalid schema for function 'sequentialthinking': 'oneOf' is not permitted.",
    ],
    [
      "gpt-5",
      "get-image",
      "Invalid schema for function 'get-image': In context=(), 'oneOf' is not permitted.",
    ],
    [
      "claude-opus-5",
      "page",
      "tools.1.custom.input_schema.properties.thinking.type: Extra inputs are not permitted",
    ],
  ])("is not about what its name or its schema speaks of: %s, %s", async (id, name, message) => {
    const provider = id.startsWith("gpt") ? "openai" : "anthropic";
    const server = await serve(refused(message), { text: "Hello." });
    const lessons = createMemoryLessons();
    const models = createModels({ providers: {}, environment: server.environment, lessons });
    const question = requestTo(provider, id, [
      { role: "user", content: [{ type: "text", text: "hi" }, image] },
    ]);
    const parts = await ask(models, {
      ...question,
      ...(provider === "openai" ? { reasoningEffort: "high" } : {}),
      tools: [...tools, { ...webSearch, name }],
    });
    expect(textOf(parts)).toBe("Hello.");
    expect(lessons.all()).toMatchObject([{ lesson: { kind: "tool", name } }]);
  });

  test("of several tools, one after the other, leaves out each, and then the whole server", async () => {
    const many = Array.from({ length: 12 }, (_, index) => ({
      ...webSearch,
      name: `tool_${String.fromCharCode(97 + index)}`,
      server: index < 10 ? "bad" : "good",
    }));
    const first = refused(
      "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
    );
    const server = await serve(first, first, first, first, { text: "Hello." });
    const parts = await ask(modelsAt(server), {
      ...requestTo("anthropic", "claude-sonnet-5-5", [user("hi")]),
      tools: many,
    });
    expect(textOf(parts)).toBe("Hello.");
    expect(names(server.requests.at(-1)!.body)).toEqual(["tool_k", "tool_l"]);
    expect(noticesOf(parts)).toHaveLength(4);
    expect(noticesOf(parts)[3]).toContain("the tools of bad");
  });

  test("of tools of no server, leaves out none that was not refused", async () => {
    const own = ["a", "b", "c", "d", "e"].map((name) => ({ ...webSearch, name, server: null }));
    const first = refused("tools.0.custom.input_schema: JSON schema is invalid");
    const server = await serve(first, first, first, first, { text: "Hello." });
    const question = requestTo("anthropic", "claude-sonnet-5-5", [user("hi")]);
    expect(textOf(await ask(modelsAt(server), { ...question, tools: own }))).toBe("Hello.");
    expect(names(server.requests.at(-1)!.body)).toEqual(["e"]);
  });

  test("ends somewhere, whatever the vendor says", async () => {
    const stubborn = refused("Invalid 'tools[0].function.parameters'");
    const server = await serve(...Array.from({ length: 20 }, () => stubborn));
    const parts = await ask(modelsAt(server), {
      ...requestTo("openai", "gpt-5", [user("hi")]),
      tools,
    });
    expect(failureOf(parts)).toMatchObject({ kind: "invalid-request", status: 400 });
    expect(server.requests).toHaveLength(4);
  });

  test("of a Google function is found by the place among the functions", async () => {
    const server = await serve(
      refused("GenerateContentRequest.tools[0].function_declarations[2].parameters: missing field"),
      { text: "Hello." },
    );
    await ask(modelsAt(server), {
      ...requestTo("google", "gemini-3.8-flash", [user("hi")]),
      tools,
    });
    expect(names(server.requests[1]!.body)).toEqual(["alpha", "search"]);
  });

  test("about a schema without a name takes all tools, so that no server ends a chat", async () => {
    const server = await serve(refused("Invalid JSON schema in tools"), { text: "Hello." });
    const parts = await ask(modelsAt(server), {
      ...requestTo("mistral", "mistral-large-latest", [user("hi")]),
      tools,
    });
    expect(textOf(parts)).toBe("Hello.");
    expect(server.requests[1]?.body).not.toHaveProperty("tools");
  });

  test("about a place in a schema takes the tools that have it", async () => {
    const [first] = tools;
    const properties = { headers: { anyOf: [{}, { type: "string" }] } };
    const odd = { ...first!, inputSchema: { type: "object", properties } };
    const server = await serve(
      refused(
        "Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.headers.anyOf.0': type is not defined>",
      ),
      { text: "Hello." },
    );
    await ask(modelsAt(server), {
      ...requestTo("mistral", "mistral-large-latest", [user("hi")]),
      tools: [odd, ...tools.slice(1)],
    });
    expect(names(server.requests[1]!.body)).toEqual(["alpha", "search"]);
  });

  test("takes the choice of that tool back with it", async () => {
    const server = await serve(refused("Invalid schema for function 'search'"), { text: "Hello." });
    const request = { ...requestTo("openai", "gpt-5", [user("hi")]), tools };
    const parts = await ask(modelsAt(server), { ...request, toolChoice: { tool: "search" } });
    expect(textOf(parts)).toBe("Hello.");
    expect(server.requests[1]?.body).not.toHaveProperty("tool_choice");
    expect(noticesOf(parts)).toHaveLength(1);
  });
});

test.each([
  ["no tool", "Invalid seed"],
  ["a plain word", "You cannot search with this model"],
  ["the history", "messages.3: tool 'search' has no result"],
  ["the choice", "tool_choice: tool 'search' was not found"],
  ["an unknown place", "Invalid 'tools[7]'"],
])("a refusal that is about %s is passed on", async (_, message) => {
  const server = await serve(refused(message));
  const parts = await ask(modelsAt(server), {
    ...requestTo("openai", "gpt-5", [user("hi")]),
    tools,
  });
  expect(failureOf(parts).kind).toBe("invalid-request");
  expect(server.requests).toHaveLength(1);
});

/** Groq judges what the model writes, and says so of the request; the request was right. */
test.each([
  "tool call validation failed: parameters for tool search did not match schema: errors: [missing properties: 'query']",
  "Tool call validation failed: attempted to call tool 'find' which was not in request.tools",
  "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
])("a call that the model wrote wrongly costs no tool: %s", async (message) => {
  const error = { message, type: "invalid_request_error", code: "tool_use_failed" };
  const body = JSON.stringify({ error: { ...error, status_code: 400 } });
  const bodies = [{ status: 400, raw: [body] }, { raw: [`event: error\ndata: ${body}\n\n`] }];
  for (const turn of bodies) {
    const server = await serve(turn, { text: "Hello." });
    const request = { ...requestTo("deepseek", "m", [user("hi")]), tools };
    const failure = failureOf(await ask(modelsAt(server), request));
    expect(failure).toMatchObject({ kind: "bad-stream", status: 400 });
    expect(failure.message).toMatch(
      /^m wrote a call that DeepSeek could not read .* again to retry/,
    );
    // What the model wrote may have been paid for.
    expect(failure.retryReason).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  }
});

test("more tools than the vendor takes are refused before anything is sent", async () => {
  const server = await serve();
  const many = Array.from({ length: 129 }, (_, index) => ({ ...webSearch, name: `t${index}` }));
  const request = { ...requestTo("openai", "gpt-5", [user("hi")]), tools: many };
  const models = modelsAt(server);
  const failure = failureOf(await ask(models, request));
  expect(failure.message).toContain("accepts 128 tools");
  expect(models.wire(request)).toEqual({ failure });
  expect(server.requests).toHaveLength(0);
});
