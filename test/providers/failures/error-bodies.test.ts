/** Every shape of an error body of doc/providers.md, on the wire of each API. */
import { describe, expect, test } from "vitest";
import type { FailureKind } from "../../../src/conversation/ports.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ask, failureOf, requestTo, user } from "../parts.ts";
import { modelsAt, providers, serve } from "../served.ts";

interface Row {
  readonly status: number;
  /** As it is sent; anything but a text as JSON. */
  readonly body: unknown;
  readonly kind: FailureKind;
  /** The vendor's own words on the screen. */
  readonly said: string;
}

const html =
  "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>cloudflare</h1></body></html>";

const rows: readonly (readonly [name: string, row: Row])[] = [
  [
    "OpenAI",
    {
      status: 400,
      body: {
        error: {
          message: "No such thing.",
          type: "invalid_request_error",
          param: null,
          code: null,
        },
      },
      kind: "invalid-request",
      said: "No such thing.",
    },
  ],
  [
    "Anthropic",
    {
      status: 400,
      body: {
        type: "error",
        error: { type: "invalid_request_error", message: "messages: no" },
        request_id: "req_1",
      },
      kind: "invalid-request",
      said: "messages: no",
    },
  ],
  [
    "Google's list, a wrong key as a bad request",
    {
      status: 400,
      body: [
        {
          error: {
            code: 400,
            message: "API key not valid. Please pass a valid API key.",
            status: "INVALID_ARGUMENT",
            details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo" }],
          },
        },
      ],
      kind: "auth",
      said: "API key not valid. Please pass a valid API key.",
    },
  ],
  [
    "Mistral",
    {
      status: 400,
      body: {
        object: "error",
        message: "Not the same number",
        type: "x",
        param: null,
        code: "3230",
      },
      kind: "invalid-request",
      said: "Not the same number",
    },
  ],
  [
    "Mistral's details",
    {
      status: 422,
      body: {
        object: "error",
        message: {
          detail: [{ type: "missing", loc: ["body", "messages"], msg: "Field required" }],
        },
      },
      kind: "invalid-request",
      said: "messages: Field required",
    },
  ],
  [
    "Mistral's key",
    { status: 401, body: { detail: "Unauthorized" }, kind: "auth", said: "Unauthorized" },
  ],
  [
    "vLLM",
    {
      status: 400,
      body: { object: "error", message: '"auto" tool choice requires --enable-auto-tool-choice' },
      kind: "invalid-request",
      said: '"auto" tool choice requires --enable-auto-tool-choice',
    },
  ],
  [
    "FastAPI",
    {
      status: 422,
      body: {
        detail: [
          { loc: ["body", "model"], msg: "field required" },
          { loc: ["body", "messages", 0, "role"], msg: "no role" },
        ],
      },
      kind: "invalid-request",
      said: "model: field required; messages.0.role: no role",
    },
  ],
  [
    "Ollama",
    {
      status: 500,
      body: { error: "model requires more system memory" },
      kind: "overloaded",
      said: "model requires more system memory",
    },
  ],
  [
    "OpenRouter",
    {
      status: 402,
      body: {
        error: {
          message: "Provider returned error",
          code: 402,
          metadata: { raw: '{"error":{"message":"No money left"}}', provider_name: "Acme" },
        },
      },
      kind: "other",
      said: "Acme: No money left",
    },
  ],
  [
    "a proxy that wraps a body as text",
    {
      status: 400,
      body: { error: { message: '{"error":{"message":"inner words"}}' } },
      kind: "invalid-request",
      said: "inner words",
    },
  ],
  [
    "words alone",
    { status: 503, body: "upstream\n gone", kind: "overloaded", said: "upstream gone" },
  ],
  [
    "a failure that speaks of credits",
    {
      status: 503,
      body: "cannot see any credits",
      kind: "overloaded",
      said: "cannot see any credits",
    },
  ],
  [
    "a page",
    {
      status: 502,
      body: html,
      kind: "overloaded",
      said: "a web page: 502 Bad Gateway – cloudflare",
    },
  ],
  [
    "a type that contradicts the status",
    {
      status: 404,
      body: { type: "error", error: { type: "api_error", message: "no such route" } },
      kind: "not-found",
      said: "no such route",
    },
  ],
];

/** What comes with status 200. */
const successes: readonly (readonly [name: string, row: Omit<Row, "status">])[] = [
  [
    "an error",
    { body: { error: { message: "Out of luck", code: 403 } }, kind: "auth", said: "Out of luck" },
  ],
  ["an error as a text", { body: { error: "no memory" }, kind: "other", said: "no memory" }],
  [
    "a list",
    { body: [{ error: { code: 429, message: "Slow" } }], kind: "rate-limit", said: "Slow" },
  ],
  [
    "a page",
    {
      body: "<html><title>Sign in to Wi-Fi</title></html>",
      kind: "bad-stream",
      said: "a web page: Sign in to Wi-Fi",
    },
  ],
  [
    "an error as the first event",
    {
      body: `data: {"error":{"message":"Provider returned error","code":402,"metadata":{"raw":"broke","provider_name":"Acme"}}}\n\n`,
      kind: "other",
      said: "Acme: broke",
    },
  ],
  [
    "MiniMax's error",
    {
      body: { id: "1", base_resp: { status_code: 1008, status_msg: "insufficient balance" } },
      kind: "other",
      said: "insufficient balance",
    },
  ],
  [
    "MiniMax's error beside choices, as an event",
    {
      body: `data: {"choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}\n\n`,
      kind: "rate-limit",
      said: "rate limit",
    },
  ],
  [
    "an error without a name as an event (DashScope)",
    {
      body: `event:error\ndata:{"code":"InvalidApiKey","message":"Invalid API-key provided.","request_id":"1"}\n\n`,
      kind: "auth",
      said: "Invalid API-key provided.",
    },
  ],
  [
    "an error without a wrapper as an event (Cerebras)",
    {
      body: `data: {"message":"Encountered a server error","type":"server_error","param":"","code":""}\n\n`,
      kind: "overloaded",
      said: "Encountered a server error",
    },
  ],
  [
    "FastAPI's error as an event",
    {
      body: `data: {"detail":"Model is loading"}\n\n`,
      kind: "overloaded",
      said: "Model is loading",
    },
  ],
  [
    "an error as a list in an event",
    {
      body: `data: [{"error":{"code":503,"message":"Full"}}]\n\n`,
      kind: "overloaded",
      said: "Full",
    },
  ],
];

function bytes(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

const apis = [...providers, ["google", "gemini-3.8-flash"], ["mistral", "mistral-small"]] as const;

describe.each(apis)("%s", (provider, id) => {
  const question = { ...requestTo(provider, id, [user("hi")]), tools: [] };

  test.each(rows)("%s", async (_, { status, body, kind, said }) => {
    const headers = { "content-type": "application/json" };
    const server = await serve({ raw: [bytes(body)], status, headers });
    const failure = failureOf(await ask(modelsAt(server), question));
    expect(failure).toMatchObject({ kind, status, said });
    expect(failure.message).toContain(`“${said}”`);
    expect(failure.message).not.toContain("text so far");
  });

  test.each(successes)("200 with %s", async (_, { body, kind, said }) => {
    const server = await serve({ raw: [bytes(body)], headers: { "content-type": "text/html" } });
    const failure = failureOf(await ask(modelsAt(server), question));
    expect(failure).toMatchObject({ kind, said });
    expect(failure.message).toContain(`“${said}”`);
  });

  test.each([
    [400, "Your credit balance is too low to access the Anthropic API."],
    [403, "Your newly created team doesn't have any credits yet."],
    [429, "Your team has used all available credits."],
  ])("%i with “%s” says where to look", async (status, message) => {
    const body = { type: "error", error: { type: "invalid_request_error", message } };
    const server = await serve({ raw: [bytes(body)], status });
    const models = modelsAt(server, {}, { maxRetries: 3, firstWaitMs: 1 });
    const failure = failureOf(await ask(models, question));
    expect(failure).toMatchObject({ kind: "other", said: message });
    expect(failure.message).toContain("Look at the account's billing");
    expect(server.requests).toHaveLength(1);
  });

  test("waits as long as Google says", async () => {
    const details = [{ "@type": "x/RetryInfo", retryDelay: "27s" }];
    const body = [{ error: { code: 429, message: "Quota", details } }];
    const server = await serve({ raw: [bytes(body)], status: 429 });
    const failure = failureOf(await ask(modelsAt(server), question));
    expect(failure).toMatchObject({ kind: "rate-limit", retryAfterMs: 27_000 });
    expect(failure.message).toContain("27 seconds");
  });

  test.each([
    [402, { error: { message: "Pay", type: "api_error" } }],
    [404, { type: "error", error: { type: "api_error", message: "no such route" } }],
    [429, { error: { message: "You exceeded your quota", code: "insufficient_quota" } }],
  ])("%s is not sent again", async (status, body) => {
    const server = await serve({ raw: [bytes(body)], status });
    const models = modelsAt(server, {}, { maxRetries: 3, firstWaitMs: 1 });
    expect(failureOf(await ask(models, question)).attempts).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });

  test("a redirect says where to, without what follows the path, and is not followed", async () => {
    const headers = { location: "https://login.example/portal?token=secret" };
    const server = await serve({ raw: [], status: 307, headers }, { text: "Hello." });
    const failure = failureOf(await ask(modelsAt(server), question));
    expect(failure).toMatchObject({ kind: "invalid-request", status: 307 });
    expect(failure.message).toContain("https://login.example/portal,");
    expect(failure.message).not.toContain("secret");
    expect(server.requests).toHaveLength(1);
  });

  test("a redirect to something other than a web address names no address", async () => {
    const headers = { location: "javascript:alert(1)" };
    const server = await serve({ raw: [], status: 302, headers });
    const failure = failureOf(await ask(modelsAt(server), question));
    expect(failure.message).toContain("redirected the request to another address, status 302");
  });

  test("long and hostile words are short and harmless on the screen, and whole in the log", async () => {
    const words = `\u202etxt\u0007 sk-test-openai-key-1 ${"x".repeat(1000)} end`;
    const server = await serve({ raw: [bytes({ error: { message: words } })], status: 400 });
    const lines: string[] = [];
    const models = createModels({
      providers: {},
      environment: server.environment,
      log: (line) => lines.push(line),
    });
    const failure = failureOf(await ask(models, question));
    expect(failure.message.length).toBeLessThan(500);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
    expect(failure.message).not.toMatch(/\u202e|\u0007|sk-test/);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/x{1000} end/);
    expect(lines[0]).not.toMatch(/\u202e|sk-test/);
  });
});
