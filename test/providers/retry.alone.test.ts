import { describe, expect, test, vi } from "vitest";
import type { Failure, StreamPart } from "../../src/conversation/ports.ts";
import { createModels } from "../../src/providers/models.ts";
import { defaultRetries, retryWait, withRetries } from "../../src/providers/retry.ts";
import type { RefusedTurn } from "../support/model-server.ts";
import fc from "../support/property.ts";
import { inPlace } from "./in-place.ts";
import { ask, collect, failureOf, outline, requestTo, textOf, user } from "./parts.ts";
import { modelsAt, providers, serve, streamStart } from "./served.ts";

vi.mock(import("../../src/net/lasting-fetch.ts"), async (load) => {
  const { replaceRequests } = await import("./in-place.ts");
  return replaceRequests(await load());
});

const quick = { maxRetries: 3, firstWaitMs: 1 };
const overloaded: RefusedTurn = { status: 529, message: "Overloaded", type: "overloaded_error" };

const retriesIn = (parts: readonly StreamPart[]) => parts.filter((part) => part.type === "retry");

describe.each(providers)("%s", (provider, model) => {
  const question = requestTo(provider, model, [user("hi")]);

  test.each<RefusedTurn>([
    overloaded,
    { status: 429, message: "Slow down", type: "rate_limit_error" },
    { status: 500, message: "Internal", type: "api_error" },
    { status: 503, message: "Unavailable" },
    { status: 408, message: "Too slow" },
    { status: 424, message: "The model failed to process the request." },
    { status: 498, message: "Flex capacity exceeded", type: "capacity_exceeded" },
  ])("asks again after $status, and says so before", async (refused) => {
    const server = await serve(refused, refused, { text: "Hello." });
    const parts = await ask(modelsAt(server, {}, quick), question);
    expect(textOf(parts)).toBe("Hello.");
    expect(retriesIn(parts)).toMatchObject([
      { attempt: 1, attempts: 4, failure: { status: refused.status } },
      { attempt: 2, attempts: 4 },
    ]);
    expect(parts[0]?.type).toBe("retry");
    expect(new Set(server.requests.map(({ raw }) => raw)).size).toBe(1);
  });

  test("tells how often it was tried when the attempts end", async () => {
    const server = await serve(...Array.from({ length: 4 }, () => overloaded));
    const failure = failureOf(await ask(modelsAt(server, {}, quick), question));
    expect(failure).toMatchObject({ kind: "overloaded", attempts: 4 });
    expect(failure.message).toMatch(
      /“Overloaded”.*[Rr]espond again to retry\. \(Tried 4 times\.\)$/,
    );
    expect(server.requests).toHaveLength(4);
  });

  test.each<RefusedTurn>([
    { status: 400, message: "messages: nonsense" },
    { status: 401, message: "No such key" },
    { status: 404, message: "no such model" },
    { status: 429, message: "Quota exceeded", type: "insufficient_quota" },
    { ...overloaded, headers: { "x-should-retry": "false" } },
    { status: 429, message: "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock" },
    { status: 429, message: "You have reached the daily limit of this model." },
    { status: 429, message: "Slow down", headers: { "retry-after": "61" } },
  ])("does not ask again after $status $message", async (refused) => {
    const server = await serve(refused, { text: "Hello." });
    const parts = await ask(modelsAt(server, {}, quick), question);
    expect(outline(parts)).toEqual([expect.stringMatching(/^error /)]);
    expect(failureOf(parts).attempts).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });

  test("waits as long as it is told, in milliseconds or seconds", async () => {
    const exact = { ...overloaded, headers: { "retry-after-ms": "30", "retry-after": "50" } };
    const server = await serve(exact, { text: "Hello." });
    const parts = await ask(modelsAt(server, {}, { maxRetries: 1, firstWaitMs: 60_000 }), question);
    const [retry] = retriesIn(parts);
    expect(retry?.waitMs).toBeGreaterThanOrEqual(30);
    expect(retry?.waitMs).toBeLessThanOrEqual(280);
    expect(textOf(parts)).toBe("Hello.");
  });

  test("a stop ends the wait at once, and nothing more is sent", async () => {
    const server = await serve({ ...overloaded, headers: { "retry-after": "59" } });
    const controller = new AbortController();
    const parts: StreamPart[] = [];
    const models = modelsAt(server, {}, quick);
    for await (const part of models.stream(question, { signal: controller.signal })) {
      parts.push(part);
      if (part.type === "retry") controller.abort();
    }
    expect(outline(parts)).toEqual(["error aborted"]);
    expect(server.requests).toHaveLength(1);
  });

  test("an overload that comes before any of the answer counts, one in the middle does not", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const event = `event: error\ndata: ${JSON.stringify(error)}\n\n`;
    const server = await serve({ raw: [event] }, { raw: [streamStart(provider), event] });
    const parts = await ask(modelsAt(server, {}, quick), question);
    expect(retriesIn(parts)).toHaveLength(1);
    expect(outline(parts)).toEqual(["text Hi", "error overloaded"]);
    expect(failureOf(parts).attempts).toBe(2);
  });

  test.each(["destroy", "end", "hang"] as const)(
    "what may have been paid for is not asked again: %s before the first byte",
    async (ending) => {
      const server = await serve({ raw: [], ending }, { text: "Hello." });
      const timeouts = ending === "hang" ? { firstByteMs: 400, idleMs: 400 } : {};
      const parts = await ask(modelsAt(server, timeouts, quick), question);
      expect(outline(parts)).toEqual([expect.stringMatching(/^error (network|bad-stream|idle)$/)]);
      expect(server.requests).toHaveLength(1);
    },
  );

  test("a connection that cannot be made is made again", async () => {
    const error = Object.assign(new Error("no route"), { code: "ENETUNREACH" });
    inPlace.take = () => Promise.reject(error);
    const lines: string[] = [];
    const models = createModels({
      providers: { [provider]: { api_key: "sk-secret-1", base_url: "http://vendor.test" } },
      environment: {},
      retries: { maxRetries: 2, firstWaitMs: 1 },
      log: (line) => lines.push(line),
    });
    const parts = await ask(models, question);
    inPlace.take = null;
    expect(retriesIn(parts)).toHaveLength(2);
    expect(retriesIn(parts)[0]?.failure.retryReason).toMatch(/the network does not reach it$/);
    expect(failureOf(parts)).toMatchObject({ kind: "network", attempts: 3 });
    expect(lines.map((line) => /\(attempt (\d) of 3/.exec(line)?.[1])).toEqual([
      "1",
      "2",
      undefined,
    ]);
    expect(lines.join("\n")).not.toContain("sk-secret");
  });
});

describe("the wait", () => {
  const failure: Failure = { kind: "overloaded", message: "Full.", retryReason: "Full" };

  test("grows with each retry, is jittered, and ends with the limit", () => {
    const attempts = fc.record({
      retry: fc.integer({ min: 1, max: 12 }),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
      maxRetries: fc.integer({ min: 0, max: 10 }),
    });
    fc.assert(
      fc.property(attempts, ({ retry, random, maxRetries }) => {
        const wait = retryWait(failure, retry, { ...defaultRetries, maxRetries }, random);
        if (retry > maxRetries) {
          expect(wait).toBeNull();
          return;
        }
        const whole = Math.min(8000, 1000 * 2 ** (retry - 1));
        expect(wait).toBeGreaterThanOrEqual(whole * 0.75 - 1);
        expect(wait).toBeLessThanOrEqual(whole);
      }),
    );
  });

  test("is never shorter than the provider asks for, and never longer than a minute and a bit", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(60_000, 60_001), fc.integer({ min: 0, max: 200_000 })),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (retryAfterMs, random) => {
          const wait = retryWait({ ...failure, retryAfterMs }, 1, defaultRetries, random);
          if (retryAfterMs > 60_000) {
            expect(wait).toBeNull();
            return;
          }
          expect(wait).toBeGreaterThanOrEqual(retryAfterMs);
          expect(wait).toBeLessThanOrEqual(60_250);
        },
      ),
    );
  });
});

test("whatever an attempt began with, nothing is asked again after it", async () => {
  const failed: StreamPart = {
    type: "error",
    failure: { kind: "overloaded", message: "Full.", retryReason: "Full" },
  };
  const first = fc.constantFrom<StreamPart>(
    { type: "text-delta", text: "a" },
    { type: "reasoning-delta", text: "hm" },
    { type: "tool-input", name: "web_search", bytes: 0, arguments: "" },
    { type: "usage", usage: { input: 1, output: 0 } },
    { type: "notice", message: "By the way." },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(first, { maxLength: 3 }), async (parts) => {
      const attempt = vi.fn(async function* () {
        yield* [...parts, failed];
      });
      const policy = { maxRetries: 2, firstWaitMs: 0 };
      const all = await collect(withRetries(attempt, policy, new AbortController().signal));
      const hasBegun = parts.some(({ type }) => type !== "usage" && type !== "notice");
      expect(attempt).toHaveBeenCalledTimes(hasBegun ? 1 : 3);
      expect(all.filter(({ type }) => type === "error")).toHaveLength(1);
      expect(all.at(-1)?.type).toBe("error");
    }),
  );
});
