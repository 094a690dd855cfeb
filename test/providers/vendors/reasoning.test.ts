/** How much a model is to think: which efforts it accepts, what is sent for one, and the message if that differs. */
import { describe, expect, test } from "vitest";
import type { ModelRequest, ReasoningEffort } from "../../../src/conversation/ports.ts";
import { effortsOf } from "../../../src/providers/vendors/compat.ts";
import {
  anthropicThinking,
  chatReasoning,
  effortFor,
  responsesReasoning,
} from "../../../src/providers/vendors/reasoning.ts";
import type { Vendor } from "../../../src/providers/vendors/vendor.ts";
import { vendors } from "../../../src/providers/vendors/vendors.ts";
import { requestTo } from "../parts.ts";

function compatFor(id: string): Vendor["compat"] {
  const vendor = vendors.get(id);
  if (vendor === undefined) throw new Error(`no vendor ${id}`);
  return vendor.compat;
}

/** With one tool, unless given otherwise. */
function asking(
  provider: string,
  id: string,
  reasoningEffort?: ReasoningEffort,
  change: Partial<ModelRequest> = {},
): ModelRequest {
  const request = requestTo(provider, id, []);
  return { ...request, ...(reasoningEffort && { reasoningEffort }), ...change };
}

test.each([
  ["openai", "gpt-5.6-sol", "none low medium high xhigh max"],
  ["openai", "gpt-5.10", "none low medium high xhigh max"],
  ["openai", "gpt-6", "none low medium high xhigh max"],
  ["openai", "gpt-5.5", "none low medium high xhigh"],
  ["openai", "gpt-5.1", "none low medium high"],
  ["openai", "gpt-5-mini", "minimal low medium high"],
  ["openai", "o4-mini", "low medium high"],
  ["openai", "gpt-5.2-chat-latest", ""],
  ["openai", "gpt-4.1", ""],
  ["openai", "ft:gpt-4o-mini:me::1", ""],
  ["anthropic", "claude-sonnet-4-5", "none low medium high"],
  ["anthropic", "claude-3-7-sonnet-latest", "none low medium high"],
  ["anthropic", "claude-3-5-sonnet-latest", ""],
  ["anthropic", "claude-opus-4-6", "none low medium high max"],
  ["anthropic", "claude-opus-4-7", "low medium high xhigh max"],
  ["anthropic", "claude-sonnet-5", "none low medium high xhigh max"],
  ["anthropic", "claude-sonnet-5-5", "low medium high xhigh max"],
  ["anthropic", "us.anthropic.claude-haiku-4-5-v1:0", "none low medium high"],
  ["xai", "grok-4.5", "none low medium high"],
  ["xai", "grok-4.5-non-reasoning", ""],
  ["xai", "grok-3-mini", "low high"],
  ["xai", "grok-4", ""],
  ["cerebras", "gpt-oss-120b", "low medium high"],
  ["mistral", "mistral-large-latest", "none low medium high"],
  ["mistral", "mistral-medium-latest", "none high"],
  ["mistral", "mistral-large-2411", ""],
  ["deepseek", "deepseek-v4-pro", "none low high max"],
  ["openrouter", "any/model", "none minimal low medium high xhigh"],
  ["ollama", "qwen3:8b", "none low medium high"],
  ["ollama", "llama3.1:8b", ""],
] as const)("%s/%s takes the efforts “%s”", (provider, id, efforts) => {
  expect(effortsOf(compatFor(provider), id).join(" ")).toBe(efforts);
});

describe("the effort that is asked for", () => {
  test.each([
    ["is none where nothing is said", "openai", "gpt-5.5", undefined, null, null],
    ["is the one that is wanted", "openai", "gpt-5.5", "low", "low", null],
    ["is the nearest", "openai", "gpt-5.5", "minimal", "none", "“minimal”, so none is requested"],
    ["is the weaker of two", "deepseek", "deepseek-v4-pro", "medium", "low", "“medium”, so low is"],
    [
      "is left out for a model that accepts none",
      "openai",
      "gpt-4.1",
      "low",
      null,
      "does not support a reasoning effort",
    ],
    ["needs no word for none there", "openai", "gpt-4.1", "none", null, null],
  ] as const)("%s", (_, provider, id, wanted, effort, told) => {
    const found = effortFor(asking(provider, id, wanted), compatFor(provider));
    expect(found.effort).toBe(effort);
    expect(found.notice).toEqual(told === null ? null : expect.stringContaining(told));
  });

  test.each([
    [undefined, "none", null],
    ["none", "none", null],
    ["high", "none", "reasons only without tools"],
  ] as const)("beside tools that forbid one, for %s is %s", (wanted, effort, told) => {
    const row = compatFor("openai");
    const compat = { ...row, reasoning: { ...row.reasoning, noneWithTools: true } };
    const found = effortFor(asking("openai", "gpt-5.5", wanted), compat);
    expect(found.effort).toBe(effort);
    expect(found.notice).toEqual(told === null ? null : expect.stringContaining(told));
    const alone = effortFor(asking("openai", "gpt-5.5", wanted, { tools: [] }), compat);
    expect(alone).toEqual({ effort: wanted ?? null, notice: null });
  });

  test.each([
    ["a call is forced", "high", { toolChoice: "required" }, null, "must call a tool"],
    ["one tool is", "high", { toolChoice: { tool: "web_search" } }, null, "must call a tool"],
    ["there is no tool", "high", { toolChoice: "required", tools: [] }, "high", null],
    ["no tool may be called", "high", { toolChoice: "none" }, "high", null],
    ["it is not to think", "none", { toolChoice: "required" }, "none", null],
    ["there is no room", "high", { maxOutputTokens: 2047 }, null, "no room to reason"],
    ["there is just room", "high", { maxOutputTokens: 2048 }, "high", null],
  ] as const)("of a Claude with a budget, where %s", (_, wanted, change, effort, told) => {
    const request = asking("anthropic", "claude-sonnet-4-5", wanted, change);
    const found = effortFor(request, compatFor("anthropic"));
    expect(found.effort).toBe(effort);
    expect(found.notice).toEqual(told === null ? null : expect.stringContaining(told));
  });
});

test.each([
  ["mistral", "mistral-small-latest", "high", { reasoning_effort: "high" }],
  ["openrouter", "any/model", "high", { reasoning: { effort: "high" } }],
  [
    "deepseek",
    "deepseek-v4-pro",
    "high",
    { thinking: { type: "enabled" }, reasoning_effort: "high" },
  ],
  ["deepseek", "deepseek-v4-pro", "none", { thinking: { type: "disabled" } }],
  ["anthropic", "claude-sonnet-5", "high", {}],
  ["mistral", "mistral-large-2411", "high", {}],
] as const)("%s/%s is told %s in its own fields", (provider, id, effort, fields) => {
  expect(chatReasoning(asking(provider, id, effort), compatFor(provider))).toEqual(fields);
});

test("thoughts are summed up where there are some, and the vendor does that", () => {
  const compat = compatFor("openai");
  const fields = (effort: ReasoningEffort, summary = true) =>
    responsesReasoning(asking("openai", "gpt-5.5", effort), {
      ...compat,
      reasoning: { ...compat.reasoning, summary },
    });
  expect(fields("low")).toEqual({ reasoning: { effort: "low", summary: "auto" } });
  expect(fields("low", false)).toEqual({ reasoning: { effort: "low" } });
  expect(fields("none")).toEqual({ reasoning: { effort: "none" } });
});

test.each([
  ["claude-sonnet-5", "high", "adaptive", "high"],
  ["claude-opus-4-6", "none", "disabled", undefined],
  ["claude-sonnet-4-5", "high", "enabled", undefined],
] as const)("%s thinks %s as %s", (id, wanted, type, effort) => {
  const answer = { maxTokens: 32_000, hasThought: true };
  const found = anthropicThinking(asking("anthropic", id, wanted), compatFor("anthropic"), answer);
  expect([found.thinking?.type, found.output_config?.effort]).toEqual([type, effort]);
});

test.each([
  ["claude-opus-5-5", true],
  ["claude-opus-5", true],
  ["claude-sonnet-5-5", true],
  ["claude-haiku-5-5", true],
  ["claude-fable-5-2", true],
  ["us.anthropic.claude-opus-6-v1:0", true],
  ["claude-sonnet-5", false],
  ["claude-opus-4-8", false],
  ["claude-sonnet-4-6", false],
  ["claude-haiku-4-5", false],
  ["claude-3-7-sonnet-latest", false],
])("of %s what it says as thoughts is asked for, where no effort is: %s", (id, isShown) => {
  const answer = { maxTokens: 32_000, hasThought: true };
  const found = anthropicThinking(
    asking("anthropic", id, undefined),
    compatFor("anthropic"),
    answer,
  );
  expect(found).toEqual(isShown ? { thinking: { type: "adaptive", display: "summarized" } } : {});
});

test("a budget has at least 1024 tokens, and leaves as many for the answer", () => {
  const thinking = (maxTokens: number, hasThought = true) =>
    anthropicThinking(asking("anthropic", "claude-sonnet-4-5", "high"), compatFor("anthropic"), {
      maxTokens,
      hasThought,
    }).thinking;
  expect(thinking(2048)).toEqual({ type: "enabled", budget_tokens: 1024 });
  expect(thinking(2047)).toBeUndefined();
  expect(thinking(32_000, false)).toBeUndefined();
});
