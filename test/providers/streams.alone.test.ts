import { afterEach, describe, expect, test, vi } from "vitest";
import type { StreamPart } from "../../src/conversation/ports.ts";
import { createModels } from "../../src/providers/models.ts";
import { vendors } from "../../src/providers/vendors/vendors.ts";
import { thinkingBlocks, thinkingStream } from "./anthropic-stream-fixtures.ts";
import { compatibleFixtures } from "./compatible-stream-fixtures.ts";
import { choiceUsage, thoughtFixtures } from "./compatible-thought-fixtures.ts";
import { inPlace } from "./in-place.ts";
import {
  ask,
  callsOf,
  failureOf,
  joined,
  outline,
  requestTo,
  textOf,
  thoughtsOf,
  user,
} from "./parts.ts";
import { reasoningStream } from "./responses-stream-fixtures.ts";
import { type StreamFixture, streamFixtures } from "./stream-fixtures.ts";
import { vendorFixtures, vendorThoughts } from "./vendor-stream-fixtures.ts";
import { unannouncedThought, wholeResponsesFixtures } from "./whole-answer-fixtures.ts";

vi.mock(import("../../src/net/lasting-fetch.ts"), async (load) => {
  const { replaceRequests } = await import("./in-place.ts");
  return replaceRequests(await load());
});

const models = createModels({
  retries: { maxRetries: 0 },
  providers: {
    responses: { base_url: "http://responses.test/v1", api: "openai-responses" },
    chat: { base_url: "http://chat.test/v1" },
    openai: { api: "openai-chat" },
  },
  environment: Object.fromEntries(
    [...vendors.values()].map(({ keyVariable }) => [keyVariable, "sk-key"]),
  ),
});

/** Answers with these bytes, one piece each, then ends or breaks. */
function answerWith(pieces: readonly Uint8Array[], error?: Error): void {
  const body = () =>
    new ReadableStream<Uint8Array>({
      start(out) {
        for (const piece of pieces) if (piece.length > 0) out.enqueue(piece);
        if (error === undefined) out.close();
      },
      pull(out) {
        if (error !== undefined) out.error(error);
      },
    });
  const headers = { "content-type": "text/event-stream" };
  inPlace.take = async () => new Response(body(), { headers });
}

async function play(
  provider: StreamFixture["provider"],
  pieces: readonly Uint8Array[],
  error?: Error,
): Promise<StreamPart[]> {
  answerWith(pieces, error);
  return ask(models, requestTo(provider, "test-model", [user("hello")]));
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/**
 * Ways to cut a stream, with a boundary at every byte, near to the next one and far from it. A request for each single
 * cut finds no more, and takes minutes.
 */
function* cuts(bytes: Uint8Array): Generator<readonly Uint8Array[]> {
  for (const size of [1, 2, 3, 5]) {
    for (let first = 1; first <= size; first += 1) {
      const pieces = [bytes.subarray(0, first)];
      for (let at = first; at < bytes.length; at += size) {
        pieces.push(bytes.subarray(at, at + size));
      }
      yield pieces;
    }
  }
  for (let at = 1; at < bytes.length; at += 41) yield [bytes.subarray(0, at), bytes.subarray(at)];
}

afterEach(() => {
  inPlace.take = null;
});

describe.each(streamFixtures)("$provider: $name", ({ provider, body, outline: expected }) => {
  const bytes = bytesOf(body);

  test("gives its parts, and claims of no failure to have kept text that never came", async () => {
    const parts = await play(provider, [bytes]);
    expect(outline(parts)).toEqual(expected);
    const failed = parts.find((part) => part.type === "error");
    if (failed === undefined || `${textOf(parts)}${thoughtsOf(parts)}` !== "") return;
    expect(failed.failure.message).not.toContain("is kept");
  });

  test("gives the same parts wherever it is cut", async () => {
    const whole = joined(await play(provider, [bytes]));
    for (const pieces of cuts(bytes)) {
      const lengths = pieces.map(({ length }) => length).slice(0, 3);
      expect(joined(await play(provider, pieces)), `pieces of ${lengths} bytes`).toEqual(whole);
    }
  });

  test("is the same without the blank line behind its last event", async () => {
    const parts = await play(provider, [bytesOf(body.trimEnd())]);
    expect(outline(parts)).toEqual(expected);
  });

  test("offers no call when it breaks off before the reason, wherever that is", async () => {
    const whole = await play(provider, [bytes]);
    const broken = new TypeError("terminated", { cause: new Error("other side closed") });
    for (let at = 0; at < bytes.length; at += 17) {
      const parts = await play(provider, [bytes.subarray(0, at)], broken);
      const last = parts.at(-1);
      if (last?.type === "finish") {
        expect(outline(parts), `cut at ${at}`).toEqual(outline(whole));
        continue;
      }
      expect(last?.type, `cut at ${at}`).toBe("error");
      expect(callsOf(parts), `cut at ${at}`).toEqual([]);
      expect(textOf(whole).startsWith(textOf(parts)), `cut at ${at}`).toBe(true);
    }
  });
});

test("text that came in one piece is one part, whatever came before; text that came alone goes on alone", async () => {
  const words = Array.from({ length: 200 }, (_, index) => `word ${index} `);
  const events = words.map((content) =>
    bytesOf(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`),
  );
  const end = bytesOf(
    `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}\n\n`,
  );
  const texts = async (pieces: readonly Uint8Array[]) =>
    (await play("openai", pieces)).flatMap((part) => (part.type === "text-delta" ? part.text : []));
  expect(await texts([...events, end])).toEqual(words);
  expect(await texts([Buffer.concat([...events, end])])).toEqual([words.join("")]);
  const halves = [events.slice(0, 100), [...events.slice(100), end]].map((half) =>
    Buffer.concat(half),
  );
  expect(await texts(halves)).toEqual([words.slice(0, 100).join(""), words.slice(100).join("")]);
});

test("usage counts what went through the cache as input", async () => {
  const [openai] = streamFixtures.filter(({ provider }) => provider === "openai");
  const [responses] = streamFixtures.filter(({ provider }) => provider === "responses");
  const [anthropic] = streamFixtures.filter(({ provider }) => provider === "anthropic");
  const usages = [];
  for (const fixture of [openai, responses, anthropic]) {
    const parts = await play(fixture!.provider, [bytesOf(fixture!.body)]);
    usages.push(parts.flatMap((part) => (part.type === "usage" ? [part.usage] : [])));
  }
  expect(usages).toEqual([
    [{ input: 90, output: 12, cacheRead: 64, reasoning: 5 }],
    [{ input: 90, output: 12, cacheRead: 64, cacheWrite: 0, reasoning: 5 }],
    [
      expect.objectContaining({ input: 90, cacheRead: 64, cacheWrite: 16 }),
      { input: 90, output: 12, cacheRead: 64, cacheWrite: 16 },
    ],
  ]);
});

const read = (cached: number, written = 0) => ({
  prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
});
const thought = (tokens: number) => ({ completion_tokens_details: { reasoning_tokens: tokens } });

test.each([
  [{}, 90, 12],
  // xAI and Google: what was thought is in the total alone.
  [{ total_tokens: 602, ...thought(500) }, 90, 512],
  [{ total_tokens: 602 }, 90, 512],
  [{ total_tokens: 602, ...read(64) }, 90, 512],
  [{ total_tokens: 102, ...thought(5) }, 90, 12],
  // The input is told without what went through a cache.
  [{ total_tokens: 166, ...read(64) }, 154, 12],
  [{ total_tokens: 182, ...read(64, 16) }, 170, 12],
  [{ total_tokens: 166, ...read(64), ...thought(5) }, 154, 12],
  // What was thought is told, and in the output: the total has something else in it.
  [{ total_tokens: 900, ...thought(5) }, 90, 12],
  [{ total_tokens: 602, ...thought(0) }, 90, 512],
  // Of a total alone nobody knows what it is of.
  [{ total_tokens: 900, prompt_tokens: undefined }, 0, 12],
  [{ total_tokens: 0 }, 90, 12],
])("what the total alone has is input or output: %j", async (more, input, output) => {
  const usage = { prompt_tokens: 90, completion_tokens: 12, ...more };
  const choices = [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }];
  const parts = await play("chat", [bytesOf(`data: ${JSON.stringify({ choices, usage })}\n\n`)]);
  const told = parts.find((part) => part.type === "usage");
  expect(told).toMatchObject({ usage: { input, output } });
});

test("what was cached is read beside the other numbers, too (Moonshot)", async () => {
  const usage = { prompt_tokens: 90, completion_tokens: 12, total_tokens: 102, cached_tokens: 64 };
  const choices = [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }];
  const parts = await play("chat", [bytesOf(`data: ${JSON.stringify({ choices, usage })}\n\n`)]);
  const told = { type: "usage", usage: { input: 90, output: 12, cacheRead: 64 } };
  expect(parts.find(({ type }) => type === "usage")).toEqual(told);
});

test("what Claude read is counted when its answer is stopped", async () => {
  const [anthropic] = streamFixtures.filter(({ provider }) => provider === "anthropic");
  const [begun] = anthropic!.body.split("event: message_delta");
  const parts = await play("anthropic", [bytesOf(begun!)], new Error("broken"));
  expect(parts.at(-1)?.type).toBe("error");
  expect(parts.findLast((part) => part.type === "usage")).toMatchObject({ usage: { input: 90 } });
});

test("reasoning comes as reasoning", async () => {
  const fixture = streamFixtures.find(({ name }) => name.startsWith("reasoning"))!;
  expect(thoughtsOf(await play("openai", [bytesOf(fixture.body)]))).toBe("think more");
  expect(thoughtsOf(await play("responses", [bytesOf(reasoningStream)]))).toBe(
    "I should search.\n\nTwice.",
  );
  expect(thoughtsOf(await play("anthropic", [bytesOf(thinkingStream)]))).toBe("I should search.");
});

test.each(Object.entries(vendorThoughts))(
  "the thoughts of %s come as reasoning",
  async (id, told) => {
    const fixture = vendorFixtures.find(({ provider }) => provider === id)!;
    expect(thoughtsOf(await play(id, [bytesOf(fixture.body)]))).toBe(told);
  },
);

describe.each(thoughtFixtures)("thoughts: $name", ({ body, thoughts, text }) => {
  const bytes = bytesOf(body);

  test("are told from the text wherever they are cut", async () => {
    for (const pieces of cuts(bytes)) {
      const parts = await play("chat", pieces);
      const lengths = pieces.map(({ length }) => length).slice(0, 3);
      expect([thoughtsOf(parts), textOf(parts)], `pieces of ${lengths}`).toEqual([thoughts, text]);
    }
  });
});

test("thoughts that come whole are thoughts", async () => {
  for (const { body } of wholeResponsesFixtures) {
    expect(thoughtsOf(await play("responses", [bytesOf(body)]))).toBe("Hm.");
  }
  expect(thoughtsOf(await play("anthropic", [bytesOf(unannouncedThought)]))).toBe("Hm.");
});

test("usage is read in the choice, and what the vendor says it costs", async () => {
  const parts = await play("chat", [bytesOf(choiceUsage)]);
  expect(parts.find(({ type }) => type === "usage")).toEqual({
    type: "usage",
    usage: { input: 7, output: 2, cost: 0.25 },
  });
});

test("text that ends with an unknown word is kept with a notice, a known one has none", async () => {
  const noticed = async (name: string) => {
    const fixture = compatibleFixtures.find((each) => each.name.endsWith(name))!;
    const parts = await play("chat", [bytesOf(fixture.body)]);
    return parts.filter(({ type }) => type === "notice");
  };
  expect(await noticed("text that ends with unheard_of")).toEqual([
    { type: "notice", message: expect.stringContaining("“unheard_of”") },
  ]);
  expect(await noticed("eos_token")).toEqual([]);
});

test("tool-input counts the bytes of the arguments so far", async () => {
  const parts = await play("anthropic", [bytesOf(thinkingStream)]);
  const bytes = parts.flatMap((part) => (part.type === "tool-input" ? [part.bytes] : []));
  expect(bytes).toEqual([0, bytesOf('{"query": "google stöck 📈"}').length]);
});

test("thinking comes back as state with its signature, without calls and empty text", async () => {
  const last = (await play("anthropic", [bytesOf(thinkingStream)])).at(-1);
  expect(last).toMatchObject({
    type: "finish",
    state: {
      api: "anthropic-messages",
      blocks: [...thinkingBlocks, { type: "text", text: "I search.\n" }, { type: "tool_use" }],
    },
  });
});

test("a stream that is not JSON is a failure that says what to do", async () => {
  const failure = failureOf(await play("openai", [bytesOf("data: {nonsense\n\n")]));
  expect(failure.kind).toBe("bad-stream");
  expect(failure.message).toMatch(/respond again to retry/i);
  expect(failure.message).not.toContain("nonsense");
});
