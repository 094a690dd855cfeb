import { describe, expect, test } from "vitest";
import type { AssistantMessage, Message } from "../../../src/conversation/ports.ts";
import { toAnthropicRequest } from "../../../src/providers/anthropic/anthropic-request.ts";
import { checkAnthropicMessages } from "../../support/model-server-anthropic-rules.ts";
import { searchBlocks } from "../anthropic-stream-fixtures.ts";
import { requestTo, user } from "../parts.ts";
import { turn } from "../turn.ts";

describe("Anthropic's state", () => {
  const [asking, found] = searchBlocks;
  const thought = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
  const paused = {
    api: "anthropic-messages",
    blocks: [thought, asking],
    paused: true,
    container: "container_1",
  };
  const resumed = { api: "anthropic-messages", blocks: [found, { type: "text", text: "$911." }] };
  const said = (text: string, state: unknown): Message => ({
    role: "assistant",
    content: [{ type: "text", text }],
    state,
  });
  const sent = (...messages: Message[]) =>
    toAnthropicRequest(requestTo("anthropic", "claude-opus-5", [user("price?"), ...messages]));

  test("of a pause is the last message, as it was, with its container", () => {
    const body = sent(said("> web search: x", paused));
    expect(body.messages.at(-1)).toEqual({ role: "assistant", content: paused.blocks });
    expect(body.container).toBe("container_1");
    expect(checkAnthropicMessages(body)).toBeNull();
  });

  test("of a pause and of what followed it are one message", () => {
    const body = sent(said("> web search: x", paused), said("$911.", resumed), user("thanks"));
    expect(body.messages[1]?.content).toEqual([...paused.blocks, ...resumed.blocks]);
    expect(checkAnthropicMessages(body)).toBeNull();
  });

  test.each([
    ["the first", undefined, resumed],
    ["the second", paused, undefined],
  ])("of a pause goes with %s", (_, first, second) => {
    const body = sent(said("> web search: x", first), said("$911.", second), user("thanks"));
    expect(body.messages[1]?.content).toEqual([
      { type: "text", text: "> web search: x" },
      { type: "text", text: "$911." },
    ]);
    expect(body).not.toHaveProperty("container");
    expect(checkAnthropicMessages(body)).toBeNull();
  });

  test("that a person edited after a pause asks to continue", () => {
    const body = sent(said("> web search: x", undefined));
    expect(body.messages.at(-1)).toMatchObject({ role: "user" });
    expect(checkAnthropicMessages(body)).toBeNull();
  });

  const blocks = [
    { type: "thinking", thinking: "Hm.", signature: "c2ln", extra: { kept: true } },
    { type: "text", text: "I search.\n" },
    { type: "tool_use" },
    { type: "redacted_thinking", data: "eA==" },
    { type: "tool_use" },
  ];
  const state = { api: "anthropic-messages", blocks };

  function echo(message: Partial<AssistantMessage>) {
    const [question, answer, results] = turn;
    const changed = { ...answer, ...message } as Message;
    const request = requestTo("anthropic", "claude-opus-5", [question!, changed, results!]);
    return toAnthropicRequest(request).messages[1]?.content;
  }

  test("brings the message back as the model made it", () => {
    const use = { type: "tool_use", name: "web_search", input: { query: "x" } };
    expect(echo({ state })).toEqual([
      blocks[0],
      blocks[1],
      { ...use, id: "call_1" },
      blocks[3],
      { ...use, id: "call_2" },
    ]);
  });

  test.each([
    ["of another API", { api: "gemini", blocks }],
    ["that is no state", "text"],
    ["with another number of calls", { ...state, blocks: blocks.slice(0, 3) }],
    ["that ends in thinking", { ...state, blocks: [...blocks, blocks[3]] }],
    ["with blocks that are none", { ...state, blocks: [1, 2] }],
  ])("a state %s is left out", (_, other) => {
    expect(echo({ state: other })).toEqual(echo({}));
    expect(echo({ state: other })).toHaveLength(3);
  });
});
