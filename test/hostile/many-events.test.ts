/** An answer of tens of thousands of pieces is read as they come: each costs no more than the one before. */
import { describe, expect, it } from "vitest";
import { createAnthropicDecoder } from "../../src/providers/anthropic/anthropic-decoder.ts";
import { createOpenAIDecoder } from "../../src/providers/openai-chat/openai-decoder.ts";
import type { Decoder } from "../../src/providers/stream/decoder.ts";

const many = 50_000;

const openaiDecoder = () => createOpenAIDecoder({ echo: null, thinksFirst: false }, () => {});

const chat = (delta: object) => ({ choices: [{ index: 0, delta }] });
const callOf = (at: number) => ({ id: `c${at}`, function: { name: "t", arguments: "{}" } });
const source = (at: number) => ({
  type: "web_search_result_location",
  url: `https://a.test/${at}`,
  title: "a",
});

const streams: Readonly<Record<string, readonly [Decoder, (at: number) => object]>> = {
  "line ends of a model that says nothing else": [openaiDecoder(), () => chat({ content: "\n" })],
  "line ends behind its thoughts": [
    openaiDecoder(),
    (at) => chat({ content: at === 0 ? "<think>a</think>" : "\n" }),
  ],
  "thoughts without their beginning": [
    openaiDecoder(),
    (at) => chat({ content: at % 2 === 0 ? "\n</think>" : "a" }),
  ],
  calls: [openaiDecoder(), (at) => chat({ tool_calls: [{ index: at, ...callOf(at) }] })],
  "calls without an index": [openaiDecoder(), (at) => chat({ tool_calls: [callOf(at)] })],
  sources: [
    createAnthropicDecoder(),
    (at) => ({
      type: "content_block_delta",
      index: 0,
      delta:
        at === 0
          ? { type: "text_delta", text: "a" }
          : { type: "citations_delta", citation: source(at) },
    }),
  ],
};

describe("an answer", () => {
  it.each(Object.entries(streams))("of very many %s is read in time", (_, [decoder, event]) => {
    // A square of it would take minutes, and the test's time would be over.
    for (let at = 0; at < many; at += 1) decoder.push(JSON.stringify(event(at)));
    expect(decoder.abandon().every(({ type }) => type === "text-delta")).toBe(true);
  });
});
