import { describe, expect, test } from "vitest";
import type { Message, ModelRequest, StreamPart } from "../../src/conversation/ports.ts";
import { createModels } from "../../src/providers/models.ts";
import { eventually } from "../support/eventually.ts";
import type { ModelServer } from "../support/model-server.ts";
import { checkResponsesInput } from "../support/model-server-responses-rules.ts";
import {
  ask,
  callsOf,
  collect,
  failureOf,
  outline,
  requestTo,
  textOf,
  user,
  webSearch,
} from "./parts.ts";
import { reasoning, reasoningStream } from "./responses-stream-fixtures.ts";
import { serve } from "./served.ts";

function modelsAt({ environment }: ModelServer) {
  return createModels({ providers: { openai: { api: "openai-responses" } }, environment });
}

function request(messages: readonly Message[], fields: Partial<ModelRequest> = {}): ModelRequest {
  return { ...requestTo("openai", "gpt-5", messages), ...fields };
}

function notices(parts: readonly StreamPart[]): string[] {
  return parts.flatMap((part) => (part.type === "notice" ? [part.message] : []));
}

describe("the Responses API over the wire", () => {
  test("answers in pieces, with its usage, by the body that wire shows", async () => {
    const usage = { input: 30, output: 4 };
    const server = await serve({ text: "It is a fine day, 📈 ü.", chunkSize: 4, usage });
    const models = modelsAt(server);
    const parts = await ask(models, request([user("hi")]));
    expect(outline(parts)).toEqual(["text It is a fine day, 📈 ü.", "finish stop"]);
    expect(parts).toContainEqual({ type: "usage", usage: expect.objectContaining(usage) });
    const wire = models.wire(request([user("hi")]));
    expect(wire).toMatchObject({ api: "openai-responses" });
    expect("body" in wire && wire.body).toEqual(server.requests[0]?.body);
    expect(server.requests[0]?.headers.authorization).toBe("Bearer sk-test-openai-key");
  });

  test("gets its own items back while the loop is open", async () => {
    const server = await serve({ raw: [reasoningStream] }, { text: "Done." });
    const models = modelsAt(server);
    const first = await ask(models, request([user("prices?")]));
    const calls = callsOf(first);
    const last = first.at(-1);
    const answer: Message = {
      role: "assistant",
      content: [
        { type: "text", text: textOf(first) },
        ...calls.map((call) => ({ type: "tool-call" as const, ...call })),
      ],
      state: last?.type === "finish" ? last.state : undefined,
    };
    const results: Message = {
      role: "tool",
      results: calls.map(({ id, name }) => ({
        type: "tool-result",
        callId: id,
        name,
        isError: false,
        content: [{ type: "text", text: "ok" }],
      })),
    };
    const second = await ask(models, request([user("prices?"), answer, results]));
    expect(outline(second)).toEqual(["text Done.", "finish stop"]);
    const { input } = server.requests[1]?.body ?? {};
    const received = reasoningStream
      .split("\n")
      .filter((line) => line.includes('"response.output_item.done"'))
      .map((line) => JSON.stringify(JSON.parse(line.slice(6)).item));
    expect(input.slice(1, -2).map((item: unknown) => JSON.stringify(item))).toEqual(received);
    expect(input[1]).toEqual(reasoning);
    expect(server.requests[1]?.violation).toBeNull();
  });

  test("stops at once and closes its socket", async () => {
    const delta = { type: "response.output_text.delta", output_index: 0, delta: "Hi" };
    const server = await serve({ raw: [`data: ${JSON.stringify(delta)}\n\n`], ending: "hang" });
    const controller = new AbortController();
    const parts: StreamPart[] = [];
    const { signal } = controller;
    for await (const part of modelsAt(server).stream(request([user("hi")]), { signal })) {
      parts.push(part);
      if (part.type === "text-delta") controller.abort();
    }
    expect(failureOf(parts).kind).toBe("aborted");
    await eventually(() => expect(server.requests[0]?.isGone()).toBe(true), 1);
  });

  test("tells a silence", async () => {
    const server = await serve({ raw: [": ping\n\n"], ending: "hang" });
    const models = createModels({
      providers: { openai: { api: "openai-responses" } },
      environment: server.environment,
      timeouts: { idleMs: 30 },
    });
    const { signal } = new AbortController();
    const parts = await collect(models.stream(request([user("hi")]), { signal }));
    expect(failureOf(parts).kind).toBe("idle");
  });
});

describe("what is asked for and not sent", () => {
  test("a server tool goes out with the API that has it", async () => {
    const server = await serve({ text: "Found." });
    const models = createModels({ providers: {}, environment: server.environment });
    const fields = {
      tools: [],
      serverTools: ["web_search", "file_search:vs_1", "file_search:vs_2"],
    };
    const parts = await ask(models, request([user("hi")], fields));
    expect(notices(parts)).toEqual([]);
    expect(server.requests[0]?.api).toBe("responses");
    expect(server.requests[0]?.body.tools).toEqual([
      { type: "file_search", vector_store_ids: ["vs_1", "vs_2"] },
      { type: "web_search" },
    ]);
  });

  test("reports each once: no such tool, a tool with its name, nothing to search", async () => {
    const server = await serve({ text: "Found." });
    const serverTools = ["nonsense", "web_search", "file_search"];
    const parts = await ask(modelsAt(server), request([user("hi")], { serverTools }));
    expect(notices(parts)).toEqual([
      "OpenAI's file_search is left out, because it does not know where to search: write server_tools: file_search:ID, once for each vector store.",
      expect.stringMatching(/^OpenAI runs no tool “nonsense” itself.*code_interpreter/),
      expect.stringMatching(
        /^OpenAI's own web_search is left out, because a tool of the server mock/,
      ),
    ]);
    expect(server.requests[0]?.body.tools).toHaveLength(1);
    expect(checkResponsesInput(server.requests[0]?.body)).toBeNull();
  });

  test.each([
    ["openai/gpt-5.5", "web_search", "web_search"],
    ["anthropic/claude-opus-5", "web_search", "web_search"],
    ["xai/grok-4.5", "x_search", "x_search"],
    ["xai/grok-4.5", "code_execution", "code_interpreter"],
  ])("of two tools with one name on the wire %s's own %s is left out", (model, own, name) => {
    const [provider = "", id = ""] = model.split("/");
    const models = createModels({ providers: {}, environment: {} });
    const tools = [{ ...webSearch, name, server: null }];
    const asked = { ...requestTo(provider, id, [user("hi")]), tools, serverTools: [own] };
    expect(models.wire(asked)).toMatchObject({
      notices: [expect.stringContaining(`own ${own} is left out, because one of your tools has`)],
      body: { tools: [{ name, description: webSearch.description }] },
    });
  });

  test("an effort that the model does not know becomes the nearest", async () => {
    const server = await serve({ text: "Hi." }, { text: "Hi." }, { text: "Hi." });
    const ofEffort = (reasoningEffort: ModelRequest["reasoningEffort"], id: string) =>
      ask(modelsAt(server), {
        ...requestTo("openai", id, [user("hi")]),
        ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
      });
    expect(notices(await ofEffort("high", "gpt-5"))).toEqual([]);
    expect(notices(await ofEffort("max", "gpt-5"))).toEqual([
      "openai/gpt-5 does not support the reasoning effort “max”, so high is requested. It supports minimal, low, medium, high.",
    ]);
    expect(notices(await ofEffort("low", "gpt-4.1"))).toEqual([
      "openai/gpt-4.1 does not support a reasoning effort, so reasoning_effort: low is left out.",
    ]);
    const high = { effort: "high", summary: "auto" };
    expect(server.requests.map(({ body }) => body.reasoning)).toEqual([high, high, undefined]);
  });
});
