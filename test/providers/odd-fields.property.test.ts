import { describe, expect, test } from "vitest";
import type { StreamPart } from "../../src/conversation/ports.ts";
import { HttpHeaders } from "../../src/net/http-headers.ts";
import { createAnthropicDecoder } from "../../src/providers/anthropic/anthropic-decoder.ts";
import { defaultTimeouts } from "../../src/providers/endpoint.ts";
import { createOpenAIDecoder } from "../../src/providers/openai-chat/openai-decoder.ts";
import { createResponsesDecoder } from "../../src/providers/openai-responses/openai-responses-decoder.ts";
import { streamParts } from "../../src/providers/stream/stream.ts";
import { openai } from "../../src/providers/vendors/vendor-rows.ts";
import { findVendor } from "../../src/providers/vendors/vendors.ts";
import { parseJson } from "../../src/shared/json.ts";
import fc from "../support/property.ts";
import { collect, outline } from "./parts.ts";
import { streamFixtures } from "./stream-fixtures.ts";

type Path = readonly (string | number)[];

/** What compatible servers, and worse ones, put into a field. */
const oddValue = fc.oneof(
  fc.constantFrom<unknown>(null, "", "12", "stop", 0, -1, 5, 1e308, true, [], {}, [null], [[]]),
  fc.constantFrom<unknown>({ type: "text" }, { id: 5 }, "\ud800", "__proto__", { a: { b: null } }),
  fc.jsonValue({ maxDepth: 2 }),
);

const change = fc.record({
  kind: fc.constantFrom("set", "set", "set", "leave out", "repeat", "move"),
  event: fc.nat(),
  other: fc.nat(),
  field: fc.nat(),
  value: oddValue,
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

const ownRows = streamFixtures.map((fixture) => ({
  ...fixture,
  events: fixture.body.split(/\r?\n\r?\n/).filter((event) => event !== ""),
}));

function decoderOf(provider: string) {
  if (provider === "anthropic") return createAnthropicDecoder();
  if (provider === "responses") return createResponsesDecoder({ keepsThoughts: false });
  return createOpenAIDecoder((findVendor(provider) ?? openai).compat.reasoning, () => {});
}

function play(provider: string, events: readonly string[]): Promise<StreamPart[]> {
  async function* body() {
    yield Buffer.from(events.map((event) => `${event}\n\n`).join(""));
  }
  const response = { status: 200, ok: true, headers: new HttpHeaders(), body: body() };
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
  const { signal } = new AbortController();
  const context = { modelId: "test-model", signal };
  return collect(streamParts(async () => response, decoderOf(provider), endpoint, context));
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, each]) => pathsOf(each, [...path, key]))];
}

function withValue(value: unknown, [key, ...rest]: Path, wanted: unknown): unknown {
  if (key === undefined) return wanted;
  if (Array.isArray(value))
    return value.with(Number(key), withValue(value[Number(key)], rest, wanted));
  const inner = Object.entries(value as object).find(([name]) => name === key)?.[1];
  return { ...(value as object), [key]: withValue(inner, rest, wanted) };
}

/** An event with another value in one of the fields that `isWanted` accepts; the event itself if there is no such field. */
function changed(
  event: string,
  { field, value }: Pick<Change, "field" | "value">,
  isWanted: (path: Path) => boolean = () => true,
): string {
  const [, head = "", data = ""] = /^(.*?data: ?)(.*)$/s.exec(event) ?? [];
  const known = parseJson(data);
  const paths = known === undefined ? [] : pathsOf(known).filter(isWanted);
  const path = paths[field % paths.length];
  return path === undefined ? event : head + JSON.stringify(withValue(known, path, value));
}

function broken(events: readonly string[], changes: readonly Change[]): string[] {
  const left = [...events];
  for (const each of changes) {
    const at = each.event % left.length;
    const event = left[at] ?? "";
    const other = each.other % left.length;
    if (each.kind === "set") left[at] = changed(event, each);
    if (each.kind === "leave out" && left.length > 1) left.splice(at, 1);
    if (each.kind === "repeat") left.splice(other, 0, event);
    if (each.kind === "move") left.splice(other, 0, ...left.splice(at, 1));
  }
  return left;
}

/** Sentences about parts that are not what the port says. */
function breaches(parts: readonly StreamPart[]): unknown[] {
  const isString = (value: unknown) => typeof value === "string";
  const isText = (value: unknown) => isString(value) && value !== "";
  const isCount = (value: unknown) => Number.isFinite(value) && Number(value) >= 0;
  const ends = parts.filter(({ type }) => type === "finish" || type === "error");
  return [
    ...(ends.length === 1 && parts.at(-1) === ends[0] ? [] : ["no end, or more than one"]),
    ...parts.filter((part) => {
      switch (part.type) {
        case "text-delta":
        case "reasoning-delta":
          return !isText(part.text);
        case "tool-input":
          return ![part.name, part.arguments].every(isString);
        case "tool-call":
          // A call without a name goes on, so that the model is told of it.
          return !isText(part.call.id) || !isText(part.call.arguments) || !isString(part.call.name);
        case "usage":
          return !Object.values(part.usage).every(isCount);
        case "finish":
          return typeof part.rawReason !== "string";
        case "error":
          // The user would be told that the program or the connection failed.
          return part.failure.kind === "internal" || part.failure.kind === "network";
        default:
          return false;
      }
    }),
  ];
}

describe("a stream whose fields hold anything, whose events are gone, repeated or elsewhere", () => {
  test("comes in parts that are what they say, and has one end", async () => {
    const changes = fc.array(change, { minLength: 1, maxLength: 3 });
    const check = fc.asyncProperty(
      fc.constantFrom(...ownRows),
      changes,
      async ({ provider, events }, wanted) => {
        expect(breaches(await play(provider, broken(events, wanted)))).toEqual([]);
      },
    );
    await fc.assert(check, { numRuns: 1000 });
  });

  test("is the same answer, whatever is reported about its tokens", async () => {
    const isOfUsage = (path: Path) => path.includes("usage");
    const withUsage = ownRows.filter(({ events }) =>
      events.some((event) => /"usage":\{/.test(event)),
    );
    const check = fc.asyncProperty(
      fc.constantFrom(...withUsage),
      fc.nat(),
      oddValue,
      async ({ provider, events, outline: expected }, field, value) => {
        const told = events.map((event) => changed(event, { field, value }, isOfUsage));
        const parts = await play(provider, told);
        expect(outline(parts)).toEqual(expected);
        expect(breaches(parts)).toEqual([]);
      },
    );
    await fc.assert(check, { numRuns: 500 });
  });
});

test("text of an Anthropic block whose beginning never came is kept", async () => {
  const events = [
    { type: "content_block_delta", index: 3, delta: { type: "text_delta", text: "All of " } },
    { type: "content_block_delta", index: 3, delta: { type: "text_delta", text: "it." } },
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
  ];
  const parts = await play(
    "anthropic",
    events.map((event) => `data: ${JSON.stringify(event)}`),
  );
  expect(outline(parts)).toEqual(["text All of it.", "finish stop"]);
});
