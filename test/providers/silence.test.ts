/** How long a server may be silent while its answer streams. */
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { StreamPart } from "../../src/conversation/ports.ts";
import { HttpHeaders } from "../../src/net/http-headers.ts";
import { createAnthropicDecoder } from "../../src/providers/anthropic/anthropic-decoder.ts";
import { defaultTimeouts } from "../../src/providers/endpoint.ts";
import { createOpenAIDecoder } from "../../src/providers/openai-chat/openai-decoder.ts";
import { streamParts } from "../../src/providers/stream/stream.ts";
import { openai } from "../../src/providers/vendors/vendor-rows.ts";
import { eventually } from "../support/eventually.ts";
import { textOf } from "./parts.ts";
import { streamStart } from "./served.ts";

let clock = 0;
beforeEach(() => {
  clock = 0;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(performance, "now").mockImplementation(() => clock);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const { idleMs, closingMs, afterReasonMs } = defaultTimeouts;
const rest = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: " there" }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;

const reason = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`;
const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })}\n\n`;

/** An answer that begins, and continues by one piece on each request; `isLeftOpen`: its connection does not close. */
function begin(
  pieces: readonly string[] = [rest],
  isLeftOpen = false,
  provider: "openai" | "anthropic" = "openai",
) {
  let goOn = () => {};
  async function* body() {
    yield Buffer.from(streamStart(provider));
    for (const piece of pieces) {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      yield Buffer.from(piece);
    }
    if (isLeftOpen) await new Promise(() => {});
  }
  const headers = new HttpHeaders({ "content-type": "text/event-stream" });
  const response = { status: 200, ok: true, headers, body: body() };
  const endpoint = {
    vendor: openai,
    api: "openai-chat",
    apiKey: "sk-key",
    keySource: "a test",
    baseUrl: "http://vendor.test",
    extras: {},
    environment: {},
    timeouts: defaultTimeouts,
  } as const;
  const context = { modelId: "test-model", signal: new AbortController().signal };
  const parts: StreamPart[] = [];
  const ended = (async () => {
    const decoder =
      provider === "openai"
        ? createOpenAIDecoder(openai.compat.reasoning, () => {})
        : createAnthropicDecoder();
    for await (const part of streamParts(async () => response, decoder, endpoint, context)) {
      parts.push(part);
    }
  })();
  const begun = eventually(() => expect(textOf(parts)).toBe("Hi"), 1);
  return { parts, begun, ended, goOn: () => goOn() };
}

/** The process runs, or is suspended, for so many milliseconds; then its timers are due. */
async function pass(milliseconds: number, due = idleMs): Promise<void> {
  clock += milliseconds;
  vi.advanceTimersByTime(due);
  await setImmediate();
}

test("what a server sent while the process was suspended is read, however long that was", async () => {
  const answer = begin();
  await answer.begun;
  await pass(3_600_000);
  answer.goOn();
  await answer.ended;
  expect(textOf(answer.parts)).toBe("Hi there");
  expect(answer.parts.at(-1)?.type).toBe("finish");
});

test("a server that says nothing afterwards either is given up", async () => {
  const answer = begin();
  await answer.begun;
  await pass(3_600_000);
  await pass(idleMs);
  await answer.ended;
  expect(answer.parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "idle" } });
});

/** The next piece comes after so many milliseconds, and is read. */
async function hear({ goOn }: Pick<ReturnType<typeof begin>, "goOn">, after = 0): Promise<void> {
  await pass(after, after);
  goOn();
  await setImmediate();
  await setImmediate();
}

const half = rest.replace("data: [DONE]\n\n", "");

test.each([
  ["usage alone behind the reason", reason + usage, closingMs],
  ["the reason alone", reason, afterReasonMs],
  ["the reason beside a piece, which is no end", half, idleMs],
])("an answer is over that leaves its connection open: %s", async (_, last, after) => {
  // What keeps the connection alive is no answer.
  const answer = begin([last, ": alive\n\n"], true);
  await answer.begun;
  await hear(answer);
  await hear(answer, after - 1000);
  expect(answer.parts.at(-1)?.type).not.toBe("finish");
  await pass(1000, 1000);
  await answer.ended;
  expect(textOf(answer.parts)).toBe(last === half ? "Hi there" : "Hi");
  expect(answer.parts.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
});

test("usage alone ends no answer that goes on behind it, as where each piece has a reason", async () => {
  const answer = begin([reason + usage, half + usage, rest]);
  await answer.begun;
  await hear(answer);
  await hear(answer, closingMs - 1000);
  await hear(answer, idleMs - 1000);
  await answer.ended;
  expect(textOf(answer.parts)).toBe("Hi there there");
});

test("a reason alone ends no answer that goes on behind it, and none behind that does", async () => {
  const answer = begin([reason, half, reason, rest]);
  await answer.begun;
  await hear(answer);
  await hear(answer, afterReasonMs - 1000);
  await hear(answer, idleMs - 1000);
  await hear(answer, idleMs - 1000);
  await answer.ended;
  expect(textOf(answer.parts)).toBe("Hi there there");
});

const turnEnd = `data: ${JSON.stringify({ type: "message_delta", delta: { stop_reason: "end_turn" } })}\n\n`;

test("Claude's answer without message_stop is over soon, but not one that goes on", async () => {
  const more = streamStart("anthropic").replace('"index":0', '"index":1');
  const answer = begin([turnEnd, more, turnEnd], true, "anthropic");
  await answer.begun;
  await hear(answer);
  await hear(answer, afterReasonMs - 1000);
  await hear(answer, afterReasonMs + 1000);
  expect(answer.parts.at(-1)?.type).not.toBe("finish");
  await pass(idleMs);
  await answer.ended;
  expect(textOf(answer.parts)).toBe("HiHi");
  const once = begin([turnEnd], true, "anthropic");
  await once.begun;
  await hear(once);
  await pass(afterReasonMs, afterReasonMs);
  await once.ended;
  expect(once.parts.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
});
