import { mkdtemp, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Message } from "../../../src/conversation/ports.ts";
import { createModels } from "../../../src/providers/models.ts";
import { eventually } from "../../support/eventually.ts";
import { inPlace } from "../in-place.ts";
import { ask, callsOf, failureOf, outline, requestTo, textOf, user } from "../parts.ts";
import { modelsAt, providers, serve, streamStart } from "../served.ts";
import { streamFixtures } from "../stream-fixtures.ts";

vi.mock(import("../../../src/net/lasting-fetch.ts"), async (load) => {
  const { replaceRequests } = await import("../in-place.ts");
  return replaceRequests(await load());
});

const google = { id: "call_1", name: "web_search", arguments: '{"query":"google stock price"}' };

function withoutApiKeys(environment: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/KEY/.test(name)));
}

describe.each(providers)("%s", (provider, model) => {
  const ofProvider = (turns: readonly Message[]) => requestTo(provider, model, turns);

  test("keeps the text and offers nothing when the connection drops", async () => {
    const turn = { text: "Sure, I need to search the web.", calls: [google], chunkSize: 3 };
    const server = await serve({ ...turn, cutAfterChunks: 6, delayMs: 15 });
    const parts = await ask(modelsAt(server), ofProvider([user("hi")]));
    expect(callsOf(parts)).toEqual([]);
    expect(textOf(parts)).toMatch(/^Sure/);
    expect(["network", "bad-stream"]).toContain(failureOf(parts).kind);
  });

  test("is given up when it falls silent, not while it keeps the line alive", async () => {
    const start = streamStart(provider);
    const alive = Array.from({ length: 12 }, () => ": keep-alive\n\n");
    const server = await serve({ raw: [start, ...alive], pauseMs: 80, ending: "hang" });
    const began = performance.now();
    const parts = await ask(modelsAt(server, { idleMs: 600 }), ofProvider([user("hi")]));
    expect(failureOf(parts).kind).toBe("idle");
    expect(failureOf(parts).message).toMatch(
      / seconds?, so the connection was closed \(idle_timeout\)\. /,
    );
    expect(textOf(parts)).toBe("Hi");
    expect(performance.now() - began).toBeGreaterThan(13 * 80);
    await eventually(() => expect(server.requests[0]?.isGone()).toBe(true));
  });

  test("a complete answer does not wait for a connection that stays open", async () => {
    const fixture = streamFixtures.find((each) => each.provider === provider)!;
    const server = await serve({ raw: [fixture.body], ending: "hang" });
    const models = modelsAt(server, { closingMs: 20 });
    const parts = await ask(models, ofProvider([user("hi")]));
    expect(outline(parts)).toEqual(fixture.outline);
    expect(parts.at(-2)?.type).toBe("usage");
    await eventually(() => expect(server.requests[0]?.isGone()).toBe(true));
  });

  test("a failure in the stream may be a text alone, and its secrets stay hidden", async () => {
    const error = { error: "boom sk-test-openai-key sk-ant-test-anthropic-key" };
    const server = await serve({ raw: [`data: ${JSON.stringify(error)}\n\n`] });
    const failure = failureOf(await ask(modelsAt(server), ofProvider([user("hi")])));
    expect(failure.message).toContain("boom [key] [key]");
  });

  test.each([
    '{"error":{"message":"boom"}}\n',
    '{"error":"boom"}',
    'error: {"code":500,"message":"boom","type":"server_error"}\n\n',
    "error: boom\n\n",
    "data: error: boom\n\n",
  ])("a failure beside the events is reported: %j", async (told) => {
    const server = await serve({ raw: [streamStart(provider), told] });
    const parts = await ask(modelsAt(server), ofProvider([user("hi")]));
    expect(textOf(parts)).toBe("Hi");
    expect(failureOf(parts).message).toMatch(/boom”\)\. The text so far is kept/);
  });

  test("what the user adds to requests stays hidden, too, and a version stays readable", async () => {
    const message = "no plain-gate-1 for plain-corp-2 or plain-query-3, version 2024-10-21";
    const server = await serve({ status: 400, message });
    const settings = {
      base_url: `${server.url}/v1?api-key=plain-query-3`,
      headers: { Authorization: "Bearer plain-gate-1", "X-Corp-Token": "plain-corp-2" },
      query: { "api-version": "2024-10-21" },
    };
    const { environment } = server;
    const models = createModels({ providers: { [provider]: settings }, environment });
    const { message: told, said } = failureOf(await ask(models, ofProvider([user("hi")])));
    for (const text of [told, said]) {
      expect(text).toContain("no [key] for [key] or [key], version 2024-10-21");
    }
  });

  test("says when to come back", async () => {
    const headers = { "retry-after": "17" };
    const server = await serve({
      status: 429,
      message: "Slow down",
      type: "rate_limit_error",
      headers,
    });
    const failure = failureOf(await ask(modelsAt(server), ofProvider([user("hi")])));
    expect(failure).toMatchObject({
      kind: "rate-limit",
      status: 429,
      retryAfterMs: 17_000,
      requestId: "req_test",
    });
    expect(failure.message).toContain("17 seconds");
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [529, "overloaded_error", "Overloaded", "overloaded"],
    [500, "api_error", "Internal", "overloaded"],
    [404, "not_found_error", "model: nope", "not-found"],
    [
      400,
      "invalid_request_error",
      "prompt is too long: 212000 tokens > 200000 maximum",
      "context-overflow",
    ],
    [400, "invalid_request_error", "messages: nonsense", "invalid-request"],
    [403, "permission_error", "not allowed", "auth"],
    [429, "insufficient_quota", "You exceeded your current quota", "other"],
  ])("%s %s (%s) is %s", async (status, type, message, kind) => {
    const server = await serve({ status, type, message });
    const failure = failureOf(await ask(modelsAt(server), ofProvider([user("hi")])));
    expect(failure).toMatchObject({ kind, status });
    expect(failure.message).toContain(message);
  });

  test("a server on this machine that is not started is named with its address, and asked once", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await eventually(() => expect(closed.address()).not.toBeNull());
    const { port } = closed.address() as AddressInfo;
    await new Promise((done) => closed.close(done));
    const models = createModels({
      providers: {
        [provider]: { api_key: "sk-secret-1", base_url: `http://127.0.0.1:${port}` },
      },
      environment: {},
      retries: { firstWaitMs: 1 },
    });
    const parts = await ask(models, ofProvider([user("hi")]));
    expect(parts.map(({ type }) => type)).toEqual(["error"]);
    expect(failureOf(parts).kind).toBe("network");
    expect(failureOf(parts).message).toMatch(
      new RegExp(`^Nothing listens at http://127.0.0.1:${port} `),
    );
    expect(failureOf(parts).message).not.toContain("text so far");
  });

  test("an address that is not one is named", async () => {
    const models = createModels({
      providers: { [provider]: { api_key: "sk-secret-1", base_url: "nowhere" } },
      environment: {},
    });
    const failure = failureOf(await ask(models, ofProvider([user("hi")])));
    expect(failure).toMatchObject({ kind: "invalid-request" });
    expect(failure.message).toContain("nowhere");
  });

  test("a key of any shape is hidden, and a refused one is fetched again", async () => {
    const refused = { status: 401, message: "No such key: plain-secret-9" };
    const server = await serve(refused, { text: "Hello." });
    const runs = join(await mkdtemp(join(tmpdir(), "parley-key-")), "runs");
    const code = `require("fs").appendFileSync(process.argv[1], "x"); console.log("plain-secret-9")`;
    const models = createModels({
      providers: { [provider]: { api_key: [process.execPath, "-e", code, runs] } },
      environment: withoutApiKeys(server.environment),
    });
    const failure = failureOf(await ask(models, ofProvider([user("hi")])));
    expect(failure.message).toContain("“No such key: [key]”");
    expect(failure.message).toContain(`the command in providers.${provider}.api_key`);
    expect(textOf(await ask(models, ofProvider([user("hi")])))).toBe("Hello.");
    expect(await readFile(runs, "utf8")).toBe("xx");
  });

  /** The key is of a command that gives another one each time; the file has a letter for each run of it. */
  async function withRenewedKey(environment: Parameters<typeof withoutApiKeys>[0]) {
    const runs = join(await mkdtemp(join(tmpdir(), "parley-key-")), "runs");
    const code = `const [fs, [, file]] = [require("fs"), process.argv]; fs.appendFileSync(file, "x");
      console.log("plain-token-" + fs.readFileSync(file).length)`;
    const models = createModels({
      providers: { [provider]: { api_key: [process.execPath, "-e", code, runs] } },
      environment: withoutApiKeys(environment),
    });
    return { models, runs };
  }

  test("a token of a command that has expired is fetched again, and the question goes out once more", async () => {
    const refused = { status: 401, message: "Token expired" };
    const server = await serve({ text: "One." }, refused, { text: "Two." }, refused, refused);
    const { models, runs } = await withRenewedKey(server.environment);
    const request = { ...ofProvider([user("hi")]), serverTools: ["no_such_tool"] };
    expect(textOf(await ask(models, request))).toBe("One.");
    const again = await ask(models, request);
    expect(textOf(again)).toBe("Two.");
    // What cannot be sent is said once.
    expect(again.filter(({ type }) => type === "notice")).toHaveLength(1);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      [1, 1, 2].map((number) => `Bearer plain-token-${number}`),
    );
    // One that is refused when it is new is not.
    expect(failureOf(await ask(models, request)).kind).toBe("auth");
    expect(server.requests).toHaveLength(5);
    expect(await readFile(runs, "utf8")).toBe("xxx");
  });

  test("a key with which the models are not listed is fetched again, too", async () => {
    inPlace.take = async () => new Response("Token expired", { status: 401 });
    onTestFinished(() => {
      inPlace.take = null;
    });
    const runs = join(await mkdtemp(join(tmpdir(), "parley-key-")), "runs");
    const code = `require("fs").appendFileSync(process.argv[1], "x"); console.log("k")`;
    const api_key = [process.execPath, "-e", code, runs];
    const models = createModels({ providers: { [provider]: { api_key } }, environment: {} });
    const listed = () => models.served(provider, new AbortController().signal);
    for (let number = 1; number <= 2; number += 1) {
      expect(await listed()).toMatchObject({ failure: { kind: "auth" } });
    }
    expect(await readFile(runs, "utf8")).toBe("xx");
  });

  test("a token that has expired is fetched once by questions that go out at once", async () => {
    const refused = { status: 401, message: "Token expired" };
    const server = await serve({ text: "One." }, refused, refused, { text: "A" }, { text: "A" });
    const { models, runs } = await withRenewedKey(server.environment);
    const request = ofProvider([user("hi")]);
    expect(textOf(await ask(models, request))).toBe("One.");
    const both = await Promise.all([ask(models, request), ask(models, request)]);
    expect(both.map(textOf)).toEqual(["A", "A"]);
    expect(await readFile(runs, "utf8")).toBe("xx");
  });

  test.each(["/v1/", "/v1/chat/completions", "/v1/messages/", "/v1/responses"])(
    "an address may end in %s",
    async (end) => {
      const server = await serve({ text: "Hello." });
      const models = createModels({
        providers: { [provider]: { base_url: `${server.url}${end}` } },
        environment: server.environment,
      });
      expect(textOf(await ask(models, ofProvider([user("hi")])))).toBe("Hello.");
    },
  );

  test("without a key nothing is sent", async () => {
    const server = await serve();
    const environment = withoutApiKeys(server.environment);
    const models = createModels({ providers: {}, environment });
    const failure = failureOf(await ask(models, ofProvider([user("hi")])));
    expect(failure.kind).toBe("missing-key");
    expect(failure.message).toContain(`${provider.toUpperCase()}_API_KEY`);
    expect(failure.message).toContain(`providers.${provider}.api_key`);
    expect(server.requests).toHaveLength(0);
  });
});

test.each(["stop", "null"])("a reason (%s) before a pause is not the end", async (reason) => {
  const piece = (content: string, finish_reason: string) =>
    `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason }] })}\n\n`;
  const raw = [
    piece("One", reason),
    piece(", two", reason),
    piece(".", "stop"),
    "data: [DONE]\n\n",
  ];
  const server = await serve({ raw, pauseMs: 60 });
  const parts = await ask(
    modelsAt(server, { closingMs: 5 }),
    requestTo("mistral", "mistral-large-latest", [user("hi")]),
  );
  expect(outline(parts)).toEqual(["text One, two.", "finish stop"]);
});

test("a failure after a reason is not ignored, since a reason may come with each piece", async () => {
  const choices = [{ delta: { content: "One" }, finish_reason: "stop" }];
  const raw = [{ choices }, { error: { message: "boom" } }].map(
    (event) => `data: ${JSON.stringify(event)}\n\n`,
  );
  const server = await serve({ raw });
  const parts = await ask(modelsAt(server), requestTo("mistral", "m", [user("hi")]));
  expect(outline(parts)).toEqual(["text One", "finish stop"]);
  expect(parts.filter(({ type }) => type === "notice")).toEqual([
    { type: "notice", message: expect.stringContaining("“boom”"), isFailure: true },
  ]);
});

test("failures go to the log without the key", async () => {
  const server = await serve({ status: 500, message: "sk-test-openai-key leaked" });
  const lines: string[] = [];
  const models = createModels({
    providers: {},
    environment: server.environment,
    retries: { maxRetries: 0 },
    log: (line) => lines.push(line),
  });
  await ask(models, requestTo("openai", "gpt-5", [user("hi")]));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("openai/gpt-5: overloaded 500 req_test");
  expect(lines[0]).not.toContain("sk-");
});

test("an unknown provider is named, with what there is", async () => {
  const models = createModels({ providers: {}, environment: {} });
  for (const [provider, id] of [
    ["nobody", "x"],
    ["openai", ""],
    ["mock", "x"],
  ] as const) {
    const request = requestTo(provider, id, [user("hi")]);
    const failure = failureOf(await ask(models, request));
    expect(failure.kind).toBe("unknown-model");
    expect(failure.message).toContain(`“${provider}/${id}”`);
    expect(models.wire(request)).toEqual({ failure });
  }
});

test("an SDK is loaded ahead without a key and without a request", async () => {
  const models = createModels({ providers: {}, environment: {} });
  inPlace.take = () => {
    throw new Error("There was a request.");
  };
  for (const provider of ["openai", "anthropic", "mock", "nobody"]) {
    await expect(
      models.warm({ model: { provider, id: "x" }, system: "", messages: [], tools: [] }),
    ).resolves.toBeUndefined();
  }
  inPlace.take = null;
});

test("a program's mistake inside the SDK's fetch is not a network failure, and is not sent again", async () => {
  const server = await serve({ text: "Hi." });
  for (const [provider, model] of [...providers, ["mistral", "mistral-large-latest"]] as const) {
    const models = createModels({
      providers: {
        [provider]: {
          base_url: server.url,
          api_key: "k",
          headers: { "x-token": "first-1\nsecond-2" },
        },
      },
      environment: {},
    });
    const failure = failureOf(await ask(models, requestTo(provider, model, [user("hi")])));
    expect(failure.kind).toBe("internal");
    expect(failure.message).not.toMatch(/first-|second-/);
  }
  expect(server.requests).toEqual([]);
});
