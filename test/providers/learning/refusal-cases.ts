/** What vendors refuse, in their words, and what the second request is then without. */
import type { ModelRequest } from "../../../src/conversation/ports.ts";
import type { ProviderConfiguration } from "../../../src/conversation/settings/vendor-settings.ts";
import type { ReceivedRequest } from "../../support/model-server.ts";
import { user } from "../parts.ts";
import { result, turn } from "../turn.ts";

const call = { type: "tool-call", name: "web_search", arguments: '{"query":"x"}' } as const;
export const image = { type: "image", mime: "image/png", data: "AAAA" } as const;

/** A step of calls alone, and its results. */
export const afterCalls = turn
  .slice(0, 1)
  .concat(
    { role: "assistant", content: [{ ...call, id: "call_1" }] },
    { role: "tool", results: [result("call_1", "$911")] },
  );

export interface Case {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly asked?: Partial<ModelRequest>;
  readonly settings?: ProviderConfiguration;
  /** What the server says first. */
  readonly status?: number;
  readonly said: string;
  /** Whether the second request is without what was refused. */
  check(second: ReceivedRequest, first: ReceivedRequest): boolean;
}

export const cases: readonly Case[] = [
  ...[
    "Developer instruction is not enabled for models/gemma-3-27b-it",
    "System role not supported",
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
  ].map(
    (said): Case => ({
      name: `a system prompt: ${said}`,
      provider: "google",
      model: "gemma-3-27b-it",
      said,
      check: ({ body }, first) =>
        first.body.messages[0].role === "system" &&
        body.messages.length === 1 &&
        body.messages[0].content === "Be short.\n\nhi",
    }),
  ),
  {
    name: "thoughts that did not come back (Kimi)",
    provider: "mistral",
    model: "m",
    said: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
    // No call has been made yet.
    check: () => true,
  },
  {
    name: "a temperature that may only be 1 (Kimi)",
    provider: "xai",
    model: "grok-4",
    asked: { sampling: { temperature: 0.5 } },
    said: "invalid temperature: only 1 is allowed for this model",
    check: ({ body }) => !("temperature" in body),
  },
  {
    name: "a temperature beside top_p (Claude by a gateway)",
    provider: "openrouter",
    model: "anthropic/claude-opus-4.1",
    asked: { sampling: { temperature: 0.5, top_p: 0.5 } },
    said: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    check: ({ body }) => !("temperature" in body) && body.top_p === 0.5,
  },
  {
    name: "the choice of one tool (LM Studio)",
    provider: "deepseek",
    model: "m",
    asked: { toolChoice: { tool: "web_search" } },
    said: "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
    check: ({ body }) => !("tool_choice" in body) && body.tools.length === 1,
  },
  {
    name: "another API",
    provider: "openai",
    model: "gpt-5",
    said: "This model is only supported in v1/responses and not in v1/chat/completions.",
    status: 404,
    check: ({ api }, first) => first.api === "openai" && api === "responses",
  },
  {
    name: "another API, in GitHub Copilot's words",
    provider: "own",
    model: "gpt-5.4",
    said: 'model "gpt-5.4" is not accessible via the /chat/completions endpoint',
    check: ({ api }, first) => first.api === "openai" && api === "responses",
  },
  {
    name: "an API that is not there",
    provider: "openai",
    model: "gpt-5.2-pro",
    said: "Not Found",
    status: 404,
    check: ({ api }, first) => first.api === "responses" && api === "openai",
  },
  {
    name: "an effort beside tools, where the user chose the API",
    provider: "openai",
    model: "gpt-5",
    settings: { api: "openai-chat" },
    said: "Function tools with reasoning_effort are not supported for gpt-5 in /v1/chat/completions. Please use /v1/responses instead",
    check: ({ body, api }) => api === "openai" && body.reasoning_effort === "none",
  },
  {
    name: "a reasoning effort",
    provider: "mistral",
    model: "mistral-small-latest",
    asked: { reasoningEffort: "high" },
    said: "reasoning_effort is not supported for this model",
    check: ({ body }, first) =>
      first.body.reasoning_effort === "high" && !("reasoning_effort" in body),
  },
  {
    name: "a value of the effort, with those that are known",
    provider: "openai",
    model: "gpt-5.1",
    asked: { reasoningEffort: "none", tools: [] },
    said: "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'low', 'medium', and 'high'.",
    check: ({ body }) => body.reasoning_effort === "low",
  },
  {
    name: "an effort of Claude's",
    provider: "anthropic",
    model: "claude-sonnet-4-6",
    asked: { reasoningEffort: "high" },
    said: "adaptive thinking is not supported on this model",
    check: ({ body }, first) => "thinking" in first.body && !("thinking" in body),
  },
  {
    name: "that thoughts are to be shown, where no effort is asked for (a gateway)",
    provider: "anthropic",
    model: "claude-opus-5-5",
    said: "thinking: Extra inputs are not permitted",
    check: ({ body }, first) => "thinking" in first.body && !("thinking" in body),
  },
  {
    name: "a temperature",
    provider: "xai",
    model: "grok-4",
    asked: { sampling: { temperature: 0.5 } },
    said: "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
    check: ({ body }) => !("temperature" in body),
  },
  {
    name: "top_p",
    provider: "cerebras",
    model: "gpt-oss-120b",
    asked: { sampling: { top_p: 0.5 } },
    said: "top_p: Extra inputs are not permitted",
    check: ({ body }) => !("top_p" in body),
  },
  {
    name: "parallel_tool_calls",
    provider: "mistral",
    model: "mistral-small-latest",
    asked: { parallelToolCalls: false },
    said: "parallel_tool_calls: Extra inputs are not permitted",
    status: 422,
    check: ({ body }) => !("parallel_tool_calls" in body),
  },
  {
    name: "tool_choice",
    provider: "google",
    model: "gemini-3.8-flash",
    asked: { toolChoice: "required" },
    said: "tool_choice is not supported",
    check: ({ body }) => !("tool_choice" in body) && body.tools.length === 1,
  },
  {
    name: "cache_control",
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    said: "cache_control: Extra inputs are not permitted",
    check: ({ body }, first) => "cache_control" in first.body && !("cache_control" in body),
  },
  {
    name: "prompt_cache_key",
    provider: "openai",
    model: "gpt-4.1",
    asked: { cacheKey: "k" },
    said: "Unknown parameter: 'prompt_cache_key'.",
    check: ({ body }, first) =>
      first.body.prompt_cache_key === "k" && !("prompt_cache_key" in body),
  },
  {
    name: "stream_options",
    provider: "deepseek",
    model: "deepseek-chat",
    said: "stream_options is not supported",
    check: ({ body }, first) => "stream_options" in first.body && !("stream_options" in body),
  },
  {
    name: "the developer role",
    provider: "openai",
    model: "gpt-5",
    said: "'developer' is not one of ['system', 'assistant', 'user', 'tool'] - 'messages.0.role'",
    check: ({ body }) => body.messages[0].role === "system",
  },
  {
    name: "images",
    provider: "mistral",
    model: "mistral-small-latest",
    asked: { messages: [{ role: "user", content: [{ type: "text", text: "See" }, image] }] },
    said: "No endpoints found that support image input",
    status: 404,
    check: ({ raw }, first) => first.raw.includes("data:image/png") && !raw.includes("data:image"),
  },
  ...[
    "invalid message content type: <nil>",
    "Invalid 'content': 'content' field must be a string or an array of objects.",
    'expected string, received null at "params.messages[1].content"',
    "messages.1.content.str: Input should be a valid string",
    "None is not of type 'string' - 'messages.1.content'",
  ].map(
    (said): Case => ({
      name: `null beside calls: ${said}`,
      provider: "own",
      model: "m",
      asked: { messages: afterCalls },
      said,
      check: ({ raw }, first) =>
        first.raw.includes('"content":null') &&
        !raw.includes('"content":null') &&
        raw.includes('"role":"assistant","content":""'),
    }),
  ),
  ...[
    "Invalid schema for function 'web_search': In context=('properties', 'content'), 'type' is required",
    "tools[0].function.parameters.properties.content: Input should be a valid string",
    "JSON schema error at $.properties.content: null is not allowed",
  ].map(
    (said): Case => ({
      name: `a tool that takes a content, beside null: ${said}`,
      provider: "own",
      model: "m",
      asked: { messages: afterCalls },
      said,
      check: ({ body, raw }) => !("tools" in body) && raw.includes('"content":null'),
    }),
  ),
  ...[
    "Unexpected role 'user' after role 'tool'",
    "\n------------\nWhile executing CallExpression at line 189, column 32 in source:\n...== 0) %}\n    {{- raise_exception('After the optional system message, con...\n        ^\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
  ].map(
    (said): Case => ({
      name: `a question behind results: ${said.slice(-60)}`,
      provider: "deepseek",
      model: "m",
      asked: { messages: [...afterCalls, user("And now?")] },
      status: said.includes("Jinja") ? 500 : 400,
      said,
      check: ({ body }) => body.messages.at(-2).role === "assistant",
    }),
  ),
  {
    name: "a system prompt, by a template (llama.cpp)",
    provider: "deepseek",
    model: "m",
    status: 500,
    said: "Error: Jinja Exception: System role not supported",
    check: ({ body }) => body.messages.length === 1,
  },
  ...[
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call `default_api:web_search` , position 2.",
    "Unable to submit request because function call `web_search` in the 2. content block is missing a `thought_signature`.",
  ].map(
    (said): Case => ({
      name: `calls without a thought signature: ${said.slice(0, 40)}`,
      provider: "own",
      model: "gemini-3-flash",
      asked: { messages: afterCalls },
      said,
      check: ({ body }) =>
        body.tools.length === 1 &&
        body.messages[2].tool_calls[0].extra_content.google.thought_signature ===
          "skip_thought_signature_validator",
    }),
  ),
  ...[
    "litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified. Pass `tools=` param OR set `litellm.modify_params = True`.",
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  ].map(
    (said): Case => ({
      name: `earlier calls without tools: ${said.slice(0, 40)}`,
      provider: "openrouter",
      model: "m",
      asked: { messages: afterCalls, tools: [] },
      said,
      check: ({ body }, first) => !("tools" in first.body) && body.tools.length === 1,
    }),
  ),
  ...[
    "Range of max_tokens should be [1, 8192]",
    "Range of max_tokens should be [1,8192]",
    "Range of max_tokens should be [256,8192]",
    "max_tokens (32,000) is more than the 8,192 that this model gives",
    "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for qwen3-max",
    "`max_tokens` of kimi-k2-9050 and qwen_9051 must be in 1-8192. See api/v9052 of 2026-11-21.",
  ].map(
    (said): Case => ({
      name: `more output than a model behind Anthropic's API has: ${said}`,
      provider: "anthropic",
      model: "qwen3-max",
      said,
      check: ({ body }, first) => first.body.max_tokens === 32_000 && body.max_tokens === 8192,
    }),
  ),
  {
    name: "more output than a model behind Anthropic's API has, by a range of hundreds",
    provider: "anthropic",
    model: "qwen3-max",
    said: "Range of max_tokens should be [256,512]",
    check: ({ body }) => body.max_tokens === 512,
  },
  ...[
    "DeepSeek: The `reasoning_content` in the thinking mode must be passed back to the API.",
    "Missing reasoning_content field in the assistant message at message index 2.",
  ].map(
    (said): Case => ({
      name: `thoughts of a finished answer that did not come back: ${said.slice(0, 30)}`,
      provider: "openrouter",
      model: "deepseek/deepseek-v4-pro",
      asked: { messages: [...afterCalls, user("And now?")] },
      said,
      check: ({ body }, first) =>
        !first.raw.includes("reasoning_content") && body.messages[2].reasoning_content === " ",
    }),
  ),
  {
    name: "thoughts of a finished answer that did not come back, by Anthropic's API",
    provider: "own",
    model: "deepseek-v4-pro",
    settings: { api: "anthropic-messages" },
    asked: { messages: [...afterCalls, user("And now?")] },
    said: "The `content[].thinking` in the thinking mode must be passed back to the API.",
    check: ({ body, api }, first) =>
      api === "anthropic" &&
      !first.raw.includes("thinking") &&
      body.messages[1].content.map(({ type }: { type: string }) => type).join() ===
        "thinking,tool_use",
  },
  {
    name: "summaries of thoughts",
    provider: "openai",
    model: "gpt-5.2-pro",
    asked: { reasoningEffort: "high" },
    said: "Your organization must be verified to generate reasoning summaries.",
    check: ({ body }, first) =>
      first.body.reasoning.summary === "auto" && body.reasoning.summary === undefined,
  },
  {
    name: "encrypted thoughts",
    provider: "openai",
    model: "gpt-5.2-pro",
    said: "Encrypted content is not supported with this model.",
    check: ({ body }, first) => "include" in first.body && !("include" in body),
  },
];
