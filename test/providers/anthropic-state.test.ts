import { describe, expect, test } from "vitest";
import type { AssistantMessage, Message } from "../../src/conversation/types.ts";
import { toAnthropicRequest } from "../../src/providers/anthropic-request.ts";
import { requestTo } from "./parts.ts";
import { turn } from "./turn.ts";

describe("Anthropic's state", () => {
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
