/** Forms of a history, and values, that templates and servers refuse in their words, and what the second request is then. */
import { isDeepStrictEqual } from "node:util";
import type { Tool } from "../../../src/conversation/ports.ts";
import { user } from "../parts.ts";
import { turn } from "../turn.ts";
import { afterCalls, type Case, image } from "./refusal-cases.ts";

/** Two calls of one step, beside a text. */
const afterTwoCalls = turn.slice(0, 3);

/** One property has the name of a limit. */
const limited: Tool = {
  name: "grep",
  description: "Finds lines.",
  inputSchema: {
    type: "object",
    properties: {
      pattern: { type: "string", description: "Which lines", pattern: "\\S", maxLength: 2000 },
      lines: { type: "array", items: { type: "string", minLength: 1 }, maxItems: 2000 },
    },
  },
  server: null,
};

export const formCases: readonly Case[] = [
  ...[
    "This model only supports single tool-calls at once!",
    "Error: Jinja Exception: This model only supports single tool-calls at once!",
    "Assistant message must have either content or tool_calls, but not both.",
    "Conversation blocks and tool use blocks cannot be provided in the same turn.",
    "This model does not support parallel tool calls.",
  ].map(
    (said): Case => ({
      name: `calls of one step, or a text beside them: ${said.slice(0, 45)}`,
      provider: "own",
      model: "m",
      asked: { messages: [...afterTwoCalls, user("And now?")] },
      status: said.includes("Jinja") ? 500 : 400,
      said,
      check: ({ body }) =>
        body.messages.map(({ role }: { role: string }) => role).join() ===
          "system,user,assistant,tool,assistant,tool,user" &&
        [2, 4].every(
          (place) =>
            body.messages[place].content === null &&
            body.messages[place].tool_calls.length === 1 &&
            body.messages[place].tool_calls[0].id === body.messages[place + 1].tool_call_id,
        ),
    }),
  ),
  ...[
    "Only user and assistant roles are supported, with the exception of an initial optional system message!",
    "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).",
    "Invalid role tool",
    "The role 'tool' is not supported.",
    "Error: Jinja Exception: Unexpected message role.",
    "Unsupported value: 'messages[3].role' does not support 'tool' with this model.",
    "<400> InternalError.Algo.InvalidParameter: The tool call is not supported.",
    "tool_use is not supported with this model",
    "Failed to initialize samplers: failed to parse grammar",
    "JSON schema conversion failed:\nUnrecognized schema: {}",
  ].map(
    (said): Case => ({
      name: `calls and results as messages of their own: ${said.slice(0, 45)}`,
      provider: "own",
      model: "m",
      asked: { messages: [...afterTwoCalls, user("And now?")] },
      status: said.includes("Jinja") ? 500 : 400,
      said,
      check: ({ body, raw }) =>
        !("tools" in body) &&
        raw.includes("$911") &&
        body.messages.every(({ role }: { role: string }) => role !== "tool"),
    }),
  ),
  {
    name: "a question behind results (Bedrock's Converse)",
    provider: "own",
    model: "m",
    asked: { messages: [...afterCalls, user("And now?")] },
    said: "Conversation blocks and tool result blocks cannot be provided in the same turn.",
    check: ({ body }) => body.messages.at(-2).role === "assistant",
  },
  ...[
    "Failed to initialize samplers: failed to parse grammar",
    "Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed:\nPattern must start with '^' and end with '$'",
    "The specified schema produces a constraint that has too many states for serving. Typical causes of this error are schemas with lots of text (for example, very long property or enum names)",
  ].map(
    (said): Case => ({
      name: `limits in the schemas of tools: ${said.slice(0, 45)}`,
      provider: said.includes("serving") ? "google" : "own",
      model: "m",
      asked: { tools: [limited] },
      said,
      check: ({ body }, first) => {
        const { properties } = body.tools[0].function.parameters;
        const left = {
          pattern: { type: "string", description: "Which lines" },
          lines: { type: "array", items: { type: "string" } },
        };
        return first.raw.includes("2000") && isDeepStrictEqual(properties, left);
      },
    }),
  ),
  {
    name: "ids of calls, by a template of Mistral's (vLLM)",
    provider: "own",
    model: "m",
    asked: { messages: afterCalls },
    said: "Tool call IDs should be alphanumeric strings with length 9!",
    check: ({ body }) => /^[a-zA-Z0-9]{9}$/.test(body.messages.at(-1).tool_call_id),
  },
  {
    name: "a system prompt (MiniMax)",
    provider: "own",
    model: "m",
    said: "invalid params, chat content has invalid message role: system (2013)",
    check: ({ body }) => body.messages.length === 1,
  },
  {
    name: "that it is not to think (OpenRouter)",
    provider: "openrouter",
    model: "google/gemini-3-pro",
    asked: { reasoningEffort: "none" },
    said: "Reasoning is mandatory for this endpoint and cannot be disabled.",
    check: ({ body }) => body.reasoning.effort === "minimal",
  },
  {
    name: "a value of the effort, of which only none is known (Qwen at Groq)",
    provider: "mistral",
    model: "mistral-small-latest",
    asked: { reasoningEffort: "high" },
    said: "`reasoning_effort` must be one of `none` or `default`",
    check: ({ body }, first) =>
      first.body.reasoning_effort === "high" && !("reasoning_effort" in body),
  },
  ...[
    "At most 0 image(s) may be provided in one request.",
    "m is not a multimodal model",
    "messages[1].content must be a string",
    "this model is missing data required for image input",
  ].map(
    (said): Case => ({
      name: `images: ${said}`,
      provider: "own",
      model: "m",
      asked: { messages: [{ role: "user", content: [{ type: "text", text: "See" }, image] }] },
      status: said.includes("missing data") ? 500 : 400,
      said,
      check: ({ raw }, first) =>
        first.raw.includes("data:image/png") && !raw.includes("data:image"),
    }),
  ),
];
