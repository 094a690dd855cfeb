import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { Message, StreamPart } from "../../src/conversation/ports.ts";
import { eventually } from "../support/eventually.ts";
import type { ModelServer } from "../support/model-server.ts";
import {
  ask,
  callsOf,
  collect,
  failureOf,
  outline,
  requestTo,
  textOf,
  thoughtsOf,
  user,
} from "./parts.ts";
import { modelsAt, providers, serve, streamStart } from "./served.ts";

const google = { id: "call_1", name: "web_search", arguments: '{"query":"google stock price"}' };
const microsoft = {
  id: "call_2",
  name: "web_search",
  arguments: '{"query":"microsoft stock price"}',
};

function answer(parts: readonly StreamPart[]): Message {
  const calls = callsOf(parts).map((call) => ({ type: "tool-call" as const, ...call }));
  const last = parts.at(-1);
  const state = last?.type === "finish" ? last.state : undefined;
  return {
    role: "assistant",
    content: [{ type: "text", text: textOf(parts) }, ...calls],
    ...(state === undefined ? {} : { state }),
  };
}

function results(parts: readonly StreamPart[]): Message {
  return {
    role: "tool",
    results: callsOf(parts).map(({ id, name }) => ({
      type: "tool-result",
      callId: id,
      name,
      isError: false,
      content: [{ type: "text", text: `${id} done` }],
    })),
  };
}

/** The model is asked, and stopped as soon as it has said something. */
async function stopAfterFirstText(server: ModelServer, provider: string, model: string) {
  const controller = new AbortController();
  const parts: StreamPart[] = [];
  const request = requestTo(provider, model, [user("hi")]);
  for await (const part of modelsAt(server).stream(request, { signal: controller.signal })) {
    parts.push(part);
    if (part.type === "text-delta") controller.abort();
  }
  return parts;
}

describe.each(providers)("%s", (provider, model) => {
  const ofProvider = (turns: readonly Message[]) => requestTo(provider, model, turns);

  test("answers in pieces, with its usage", async () => {
    const usage = { input: 30, output: 4 };
    const server = await serve({ text: "It is a fine day, 📈 ü.", chunkSize: 4, usage });
    const parts = await ask(modelsAt(server), ofProvider([user("hi")]));
    expect(outline(parts)).toEqual(["text It is a fine day, 📈 ü.", "finish stop"]);
    const told = parts.flatMap((part) => (part.type === "usage" ? [part.usage] : []));
    expect(told.at(-1)).toMatchObject(usage);
  });

  test("takes the results of parallel calls back and goes on", async () => {
    const server = await serve(
      { text: "Sure, I need to search the web.", calls: [google, microsoft], chunkSize: 5 },
      { text: "GOOGL is at $911." },
    );
    const models = modelsAt(server);
    const question = user("prices?");
    const first = await ask(models, ofProvider([question]));
    expect(callsOf(first)).toEqual([google, microsoft]);
    expect(first.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
    const second = await ask(models, ofProvider([question, answer(first), results(first)]));
    expect(outline(second)).toEqual(["text GOOGL is at $911.", "finish stop"]);
    const bodies = server.requests.map(({ body }) => body.messages);
    expect(bodies[1].slice(0, bodies[0].length)).toEqual(bodies[0]);
  });

  test("sends exactly the body that wire shows", async () => {
    const server = await serve({ text: "Hello." });
    const models = modelsAt(server);
    const request = ofProvider([user("hi")]);
    await ask(models, request);
    const wire = models.wire(request);
    expect(wire).toMatchObject({ provider, model });
    expect("body" in wire && JSON.parse(JSON.stringify(wire.body))).toEqual(
      server.requests[0]?.body,
    );
  });

  test("is sent the key, and nothing else of ours shows it", async () => {
    const server = await serve({
      status: 401,
      message: "Incorrect API key: sk-test-openai-key sk-ant-test-anthropic-key",
    });
    const failure = failureOf(await ask(modelsAt(server), ofProvider([user("hi")])));
    expect(server.requests[0]?.headers.authorization).toMatch(/^Bearer sk-/);
    expect(failure.kind).toBe("auth");
    expect(failure.message).toContain(`${provider.toUpperCase()}_API_KEY`);
    expect(JSON.stringify(failure)).not.toMatch(/sk-/);
  });

  test("does not offer a call that the output limit cut", async () => {
    const server = await serve({ text: "Sure.", calls: [google], finish: "length" });
    const parts = await ask(modelsAt(server), ofProvider([user("hi")]));
    expect(outline(parts)).toEqual(["text Sure.", "finish length"]);
  });

  test("stops at once and closes its socket", async () => {
    const piece = streamStart(provider);
    const server = await serve({ raw: [piece], ending: "hang" });
    const parts = await stopAfterFirstText(server, provider, model);
    expect(failureOf(parts).kind).toBe("aborted");
    await eventually(() => expect(server.requests[0]?.isGone()).toBe(true), 1);
  });

  test("closes its socket when nobody reads on", async () => {
    const server = await serve({ raw: [streamStart(provider)], ending: "hang" });
    const { signal } = new AbortController();
    for await (const part of modelsAt(server).stream(ofProvider([user("hi")]), { signal })) {
      expect(part).toEqual({ type: "text-delta", text: "Hi" });
      break;
    }
    await eventually(() => expect(server.requests[0]?.isGone()).toBe(true), 1);
  });

  test("lets go of the signal", async () => {
    const server = await serve({ text: "Hello." });
    const { signal } = new AbortController();
    await collect(modelsAt(server).stream(ofProvider([user("hi")]), { signal }));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("stops before the first byte too", async () => {
    const server = await serve({ raw: [], ending: "hang" });
    const controller = new AbortController();
    const stream = modelsAt(server).stream(ofProvider([user("hi")]), { signal: controller.signal });
    const parts = (async () => {
      const all = [];
      for await (const part of stream) all.push(part);
      return all;
    })();
    await eventually(() => expect(server.requests).toHaveLength(1), 1);
    controller.abort();
    expect(failureOf(await parts).kind).toBe("aborted");
    await eventually(() => expect(server.requests[0]?.isGone()).toBe(true), 1);
  });
});

test("Anthropic's thinking goes back exactly as it came", async () => {
  const server = await serve(
    {
      thoughts: "I should search.",
      signature: "c2lnbmF0dXJl",
      redactedThinking: ["ZW5jcnlwdGVk"],
      text: "I search.",
      calls: [google],
      chunkSize: 4,
    },
    { text: "Done." },
  );
  const models = modelsAt(server);
  const question = user("prices?");
  const request = (messages: readonly Message[]) =>
    requestTo("anthropic", "claude-opus-5", messages);
  const first = await ask(models, request([question]));
  expect(thoughtsOf(first)).toBe("I should search.");
  const kept = JSON.parse(JSON.stringify(answer(first)));
  await ask(models, request([question, kept, results(first)]));
  expect(server.requests[1]?.violation).toBeNull();
  const { content } = server.requests[1]!.body.messages[1];
  expect(content.map(({ type }: { type: string }) => type).sort()).toEqual(
    ["redacted_thinking", "text", "thinking", "tool_use"].sort(),
  );
  expect(content).toContainEqual({
    type: "thinking",
    thinking: "I should search.",
    signature: "c2lnbmF0dXJl",
  });
  expect(content).toContainEqual({ type: "redacted_thinking", data: "ZW5jcnlwdGVk" });
});

test("the gate refuses what the provider would refuse, and takes no turn for it", async () => {
  const server = await serve({ text: "Hello." });
  const post = (path: string, body: unknown) =>
    fetch(`${server.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  const orphan = { messages: [{ role: "tool", tool_call_id: "x", content: "y" }] };
  const refused = await post("/v1/chat/completions", orphan);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("must be a response to a preceeding message");
  const parts = await ask(modelsAt(server), requestTo("openai", "gpt-5", [user("hi")]));
  expect(textOf(parts)).toBe("Hello.");
  expect(server.requests.map(({ violation }) => violation === null)).toEqual([false, true]);
});
