import { describe, expect, it } from "vitest";
import type { ModelRequest, StreamPart } from "../../src/conversation/ports.ts";
import { type Model, openModel, scriptedModel } from "../../src/library/open-model.ts";
import { streamText, toAssistantMessage } from "../../src/library/stream-text.ts";

const messages = [{ role: "user", content: [{ type: "text", text: "hi" }] }] as const;

/** A model that yields these parts and records its requests. */
function saying(...parts: readonly StreamPart[]): Model & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    name: { provider: "mock", id: "parts" },
    asked,
    async *stream(request) {
      asked.push(request);
      yield* parts;
    },
  };
}

const call = { id: "call_1", name: "search", arguments: '{"q":1}' };
const finish: StreamPart = { type: "finish", reason: "tool-calls", rawReason: "tool_calls" };

describe("streamText", () => {
  it("yields the parts as they arrive, and then the complete result", async () => {
    const stream = streamText(scriptedModel({ turns: [{ text: "one two", thoughts: "hm" }] }), {
      messages,
    });
    const texts: string[] = [];
    for await (const part of stream) if (part.type === "text-delta") texts.push(part.text);
    expect(texts).toEqual(["one ", "two"]);
    expect(await stream.result()).toMatchObject({
      text: "one two",
      reasoning: "hm",
      calls: [],
      finish: "stop",
      failure: null,
    });
  });

  it("asks with an empty system text and no tools when none are given", async () => {
    const model = saying(finish);
    await streamText(model, { messages }).result();
    expect(model.asked).toEqual([{ model: model.name, system: "", tools: [], messages }]);
  });

  it.each([
    ["a text", "hi", "messages is not a list of messages."],
    ["a list of texts", ["hi"], "look at messages[0]"],
    ["a message whose content is a text", [...messages, { role: "user", content: "hi" }], "[1]"],
    ["a message of another role", [{ role: "system", content: [] }], "messages[0]"],
  ])("rejects %s as messages, and sends nothing", (_, wrong, message) => {
    const model = saying(finish);
    const request = { messages: wrong as unknown as typeof messages };
    expect(() => streamText(model, request)).toThrow(message);
    expect(model.asked).toEqual([]);
  });

  it("keeps the order of text and calls, and the state, for the assistant message", async () => {
    const model = saying(
      { type: "reasoning-delta", text: "never sent" },
      { type: "text-delta", text: "a" },
      { type: "text-delta", text: "b" },
      { type: "tool-call", call },
      { type: "text-delta", text: "c" },
      { ...finish, state: { signature: "x" } },
    );
    const result = await streamText(model, { messages }).result();
    expect(toAssistantMessage(result)).toEqual({
      role: "assistant",
      content: [
        { type: "text", text: "ab" },
        { type: "tool-call", ...call },
        { type: "text", text: "c" },
      ],
      state: { signature: "x" },
      model: model.name,
    });
  });

  it("returns a failure in the result instead of throwing", async () => {
    const result = await streamText(openModel("nobody/none"), { messages }).result();
    expect(result).toMatchObject({ finish: null, failure: { kind: "unknown-model" } });
    const keyless = openModel("openai/gpt-5.5", { environment: {} });
    const { failure } = await streamText(keyless, { messages }).result();
    expect(failure).toMatchObject({
      kind: "missing-key",
      message: expect.stringContaining("OPENAI_API_KEY"),
    });
  });

  it("reports a failure when the loop is left before the stream ends", async () => {
    const stream = streamText(saying({ type: "text-delta", text: "a" }, finish), { messages });
    for await (const _ of stream) break;
    expect(await stream.result()).toMatchObject({ text: "a", failure: { kind: "bad-stream" } });
  });

  it("stops when its signal is aborted", async () => {
    const abort = new AbortController();
    const stream = streamText("mock/demo", { messages }, { signal: abort.signal });
    for await (const part of stream) if (part.type === "text-delta") abort.abort();
    expect(await stream.result()).toMatchObject({ failure: { kind: "aborted" } });
  });

  it("rejects an invalid model name", () => {
    expect(() => streamText("gpt", { messages })).toThrow(
      /"gpt" is not the name of a model: write provider/,
    );
  });
});
