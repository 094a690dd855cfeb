import { describe, expect, test } from "vitest";
import type { AssistantMessage, Message, ModelRequest } from "../../../src/conversation/ports.ts";
import { toAnthropicRequest } from "../../../src/providers/anthropic/anthropic-request.ts";
import { stateOf } from "../../../src/providers/anthropic/anthropic-state.ts";
import { effortFor } from "../../../src/providers/vendors/reasoning.ts";
import { anthropic } from "../../../src/providers/vendors/vendor-rows.ts";
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

  test.each([
    ["nothing else", []],
    ["a thought", [thought]],
  ])("of a pause with text and %s asks to continue", (_, before) => {
    const blocks = [...before, { type: "text", text: "Well" }];
    const body = sent(said("Well", stateOf(blocks, { isPaused: true, container: null })));
    expect(body.messages.at(-1)).toMatchObject({ role: "user" });
    expect(checkAnthropicMessages(body)).toBeNull();
  });

  test("that a user edited after a pause asks to continue", () => {
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

function said(text: string, state: unknown): Message {
  return { role: "assistant", content: [{ type: "text", text }], state };
}

describe("thinking by a budget, up to Claude 4.5", () => {
  const thought = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
  const state = {
    api: "anthropic-messages",
    blocks: [thought, { type: "tool_use" }, { type: "tool_use" }],
  };
  const [question, called, results] = turn;
  const asked = (change: object, messages: readonly Message[] = [user("price?")]) => {
    const request = requestTo("anthropic", "claude-sonnet-4-5", messages);
    const body = toAnthropicRequest({ ...request, reasoningEffort: "medium", ...change });
    expect(checkAnthropicMessages(body)).toBeNull();
    return body;
  };

  test.each([
    ["low", 1024],
    ["medium", 8192],
    ["high", 24_576],
  ] as const)("%s is so many tokens", (reasoningEffort, budget_tokens) => {
    const body = asked({ reasoningEffort });
    expect(body.thinking).toEqual({ type: "enabled", budget_tokens });
    expect(body).not.toHaveProperty("output_config");
  });

  test("leaves room for the answer, and is left out if there is no room or a call is forced", () => {
    expect(asked({ maxOutputTokens: 4000 }).thinking).toMatchObject({ budget_tokens: 2976 });
    for (const change of [
      { maxOutputTokens: 2000 },
      { toolChoice: "required" },
      { toolChoice: { tool: "web_search" } },
    ]) {
      expect(asked(change)).not.toHaveProperty("thinking");
      const { notice } = effortFor(
        {
          ...requestTo("anthropic", "claude-sonnet-4-5", []),
          reasoningEffort: "low",
          ...change,
        } as ModelRequest,
        anthropic.compat,
      );
      expect(notice).toContain("reasoning_effort");
    }
    expect(asked({ reasoningEffort: "none" }).thinking).toEqual({ type: "disabled" });
    expect(asked({ reasoningEffort: undefined })).not.toHaveProperty("thinking");
  });

  test("goes on in a loop only with the thinking that it began with", () => {
    if (question === undefined || called?.role !== "assistant" || results === undefined)
      throw new Error("another turn");
    const model = { provider: "anthropic", id: "claude-sonnet-4-5" };
    const kept = [question, { ...called, state, model }, results];
    expect(asked({}, kept).thinking).toMatchObject({ type: "enabled" });
    expect(asked({}, [question, called, results])).not.toHaveProperty("thinking");
    // A question behind results is one message with them; after an answer it begins again.
    const unanswered = [question, called, results, user("and now?")];
    expect(asked({}, unanswered)).not.toHaveProperty("thinking");
    const answered = [question, called, results, said("$911.", undefined), user("and now?")];
    expect(asked({}, answered).thinking).toMatchObject({
      type: "enabled",
    });
  });
});
