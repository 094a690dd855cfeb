/** Converts a neutral request to the body of Anthropic's messages API (rules A1–A15, doc/providers.md). Pure. */

import type {
  Tool as AnthropicTool,
  ToolChoice as AnthropicToolChoice,
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ToolResultBlockParam,
  ToolUnion,
} from "@anthropic-ai/sdk/resources/messages";
import type {
  ImagePart,
  ModelRequest,
  TextPart,
  ToolChoice,
  ToolResultPart,
} from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import { convert, createKept } from "../../shared/kept.ts";
import { isUnseen, wellFormed } from "../../shared/well-formed.ts";
import { isSeam, type Turn, toTurns } from "../request/history.ts";
import { anthropicMaxTokens } from "../request/model-limits.ts";
import { type DescribedTool, prepareTool } from "../request/prepare-tool.ts";
import { inNameOrder } from "../request/tool-schema.ts";
import {
  argumentsObject,
  imagePlaceholder,
  isSendableImage,
  markFailure,
  wellFormedValue,
} from "../text.ts";
import { type Compat, fits } from "../vendors/compat.ts";
import { anthropicThinking } from "../vendors/reasoning.ts";
import { type OfferedServerTool, serverToolsFor } from "../vendors/server-tools.ts";
import type { Vendor } from "../vendors/vendor.ts";
import { anthropic } from "../vendors/vendor-rows.ts";
import { findVendor } from "../vendors/vendors.ts";
import { type Echo, echoTurns, hasThought } from "./anthropic-state.ts";

/**
 * Exactly what is sent. It never has a temperature, which current models refuse. The API itself caches the system
 * prompt, the tools and the history up to the last block (`cache_control`).
 */
export function toAnthropicRequest(
  request: ModelRequest,
  vendor: Vendor = findVendor(request.model.provider) ?? anthropic,
): MessageCreateParamsStreaming {
  const { compat } = vendor;
  const maxTokens = anthropicMaxTokens(request, compat);
  const turns = toTurns(request, compat);
  const echoes = echoTurns(turns);
  const container = [...echoes.values()].findLast((echo) => echo.container !== null)?.container;
  const hasCalls = turns.some((turn) => turn.role === "assistant" && turn.results.length > 0);
  const tools = [
    ...toAnthropicTools(inNameOrder(request.tools), compat),
    ...serverToolsFor(request, vendor, "anthropic-messages").offered.map(serverTool),
  ];
  const offered = tools.length > 0;
  const { toolChoice, parallelToolCalls } = request;
  const saysChoice = toolChoice !== undefined || parallelToolCalls === false;
  return {
    model: request.model.id,
    max_tokens: maxTokens,
    ...given({ system: isUnseen(request.system) ? null : wellFormed(request.system) }),
    messages: withThoughts(toMessages(turns, echoes), compat, request.model.id),
    ...given({ container }),
    ...anthropicThinking(request, compat, { maxTokens, hasThought: hasThought(turns, echoes) }),
    ...given({ tools: offered || (hasCalls && compat.emptyToolsWithHistory) ? tools : null }),
    ...(offered && saysChoice
      ? { tool_choice: toAnthropicToolChoice(toolChoice ?? "auto", parallelToolCalls) }
      : {}),
    ...(compat.caching === "cache_control" ? { cache_control: { type: "ephemeral" } } : {}),
    stream: true,
  };
}

/** The vendor table only has tools that the SDK's types know. */
function serverTool({ name, type, parameters }: OfferedServerTool): ToolUnion {
  return { ...parameters, type, name } as ToolUnion;
}

/** Tools in Anthropic's form, in the given order, prepared for the vendor. */
export function toAnthropicTools(
  tools: readonly DescribedTool[],
  compat: Compat = anthropic.compat,
): AnthropicTool[] {
  return tools.map((tool) => {
    const { description, schema } = prepareTool(tool, compat);
    return {
      name: tool.name,
      ...given({ description: isUnseen(description) ? null : description }),
      input_schema: schema,
    };
  });
}

/** A tool choice in Anthropic's form, which also says whether calls may be parallel (by default they may). */
export function toAnthropicToolChoice(choice: ToolChoice, parallel = true): AnthropicToolChoice {
  const single = parallel ? {} : { disable_parallel_tool_use: true };
  switch (choice) {
    case "auto":
      return { type: "auto", ...single };
    case "required":
      return { type: "any", ...single };
    case "none":
      return { type: "none" };
    default:
      return { type: "tool", name: choice.tool, ...single };
  }
}

interface Said {
  readonly role: "user" | "assistant";
  readonly content: ContentBlockParam[];
}

const keptMessages = createKept<Turn, readonly Said[]>();

/** Results and the question after them become one user message, results first (rules A2, A3). */
function toMessages(turns: readonly Turn[], echoes: ReadonlyMap<number, Echo>): MessageParam[] {
  const add = (said: Said[], turn: Turn, index: number) => {
    if (turn.role === "user") {
      addSaid(said, "user", turn.content.map(contentBlock));
      return;
    }
    addSaid(said, "assistant", [
      ...(echoes.get(index)?.blocks ?? turn.content.map(assistantBlock)),
    ]);
    if (turn.results.length > 0) addSaid(said, "user", turn.results.map(resultBlock));
  };
  const messages = convert(keptMessages, turns, { add, isSeam });
  // Current models refuse to continue a message of their own (rule A7), unless they paused it (A14).
  const isPaused = echoes.get(turns.length - 1)?.isPaused ?? false;
  if (!isPaused && messages.at(-1)?.role === "assistant")
    addSaid(messages, "user", [{ type: "text", text: "Continue." }]);
  return messages;
}

/** At most some messages are joined, so copying what they said is no loss. */
function addSaid(messages: Said[], role: Said["role"], content: ContentBlockParam[]): void {
  const last = messages.at(-1);
  if (last?.role !== role) messages.push({ role, content });
  else messages[messages.length - 1] = { role, content: [...last.content, ...content] };
}

/**
 * Some models behind this API refuse earlier answers that do not begin with a thought (DeepSeek: “the
 * `content[].thinking` … must be passed back”); a blank thought replaces a missing one. Anthropic's models refuse that.
 */
function withThoughts(
  messages: MessageParam[],
  { reasoning: { echoRequired, noThoughts } }: Compat,
  modelId: string,
): MessageParam[] {
  if (!fits(echoRequired, modelId)) return messages;
  const blank = { type: "thinking", thinking: noThoughts, signature: "" } as const;
  return messages.map((message) => {
    const { role, content } = message;
    const blocks = typeof content === "string" ? [] : content;
    const isMissing = role === "assistant" && !/thinking$/.test(blocks[0]?.type ?? "");
    return isMissing ? { role, content: [blank, ...blocks] } : message;
  });
}

function contentBlock(part: TextPart | ImagePart): TextBlockParam | ImageBlockParam {
  if (part.type === "text") return { type: "text", text: part.text };
  if (!isSendableImage(part)) return { type: "text", text: imagePlaceholder(part) };
  return { type: "image", source: { type: "base64", media_type: part.mime, data: part.data } };
}

function assistantBlock(
  part: Extract<Turn, { role: "assistant" }>["content"][number],
): ContentBlockParam {
  if (part.type === "text") return { type: "text", text: part.text };
  const input = wellFormedValue(argumentsObject(part.arguments));
  return { type: "tool_use", id: part.id, name: part.name, input };
}

/** A result with an image must not be marked as failed (rule A15), so its text says it. */
function resultBlock({ callId, content, isError }: ToolResultPart): ToolResultBlockParam {
  const isMarked = isError && !content.some((part) => part.type === "image");
  const parts = isError && !isMarked ? markFailure(content) : content;
  return {
    type: "tool_result",
    tool_use_id: callId,
    content: parts.map(contentBlock),
    ...given({ is_error: isMarked ? true : null }),
  };
}
