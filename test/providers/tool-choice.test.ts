import { expect, test } from "vitest";
import { toAnthropicToolChoice } from "../../src/providers/anthropic/anthropic-request.ts";
import { toOpenAIToolChoice } from "../../src/providers/openai-chat/openai-request.ts";

test("a tool choice in each provider's form", () => {
  const choices = ["auto", "required", "none", { tool: "search" }] as const;
  expect(choices.map(toOpenAIToolChoice)).toEqual([
    "auto",
    "required",
    "none",
    { type: "function", function: { name: "search" } },
  ]);
  expect(choices.map((choice) => toAnthropicToolChoice(choice))).toEqual([
    { type: "auto" },
    { type: "any" },
    { type: "none" },
    { type: "tool", name: "search" },
  ]);
});

test("without parallel calls Anthropic is told so in the choice, but not where none is made", () => {
  expect(toAnthropicToolChoice("required", false)).toEqual({
    type: "any",
    disable_parallel_tool_use: true,
  });
  expect(toAnthropicToolChoice("none", false)).toEqual({ type: "none" });
});
