/** Converts a neutral request to the body of OpenAI's Responses API (rules P1–P9, doc/providers.md). Pure. */

import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseInputImage,
  ResponseInputItem,
  ResponseInputText,
  Tool as ResponsesTool,
  ToolChoiceFunction,
  ToolChoiceOptions,
} from "openai/resources/responses/responses";
import type {
  ImagePart,
  ModelRequest,
  TextPart,
  Tool,
  ToolChoice,
  ToolResultPart,
} from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import { isObject, objectsOf, textOf } from "../../shared/json.ts";
import { convert, createKept } from "../../shared/kept.ts";
import { isUnseen, wellFormed } from "../../shared/well-formed.ts";
import { type AssistantTurn, type Turn, toTurns, type UserTurn } from "../request/history.ts";
import { responsesMaxTokens } from "../request/model-limits.ts";
import { prepareTool } from "../request/prepare-tool.ts";
import { inNameOrder } from "../request/tool-schema.ts";
import { argumentsText, imagePlaceholder, isSendableImage, markFailure } from "../text.ts";
import { fits, needsThoughts, takenSampling } from "../vendors/compat.ts";
import { responsesReasoning } from "../vendors/reasoning.ts";
import { serverToolsFor } from "../vendors/server-tools.ts";
import type { Vendor } from "../vendors/vendor.ts";

/** Ids may be longer here than in chat completions (rule P4). */
const callIds = { length: 64, isExact: false, keepsMeaning: false } as const;

/** Exactly what is sent. The vendor stores nothing: the history comes from the transcript (rule P1). */
export function toResponsesRequest(
  request: ModelRequest,
  vendor: Vendor,
): ResponseCreateParamsStreaming {
  const { compat } = vendor;
  const { model, system, cacheKey } = request;
  const isThinking = fits(compat.reasoning.encrypted, model.id);
  return {
    model: model.id,
    ...given({ instructions: isUnseen(system) ? null : wellFormed(system) }),
    input: inputItems(
      toTurns(request, { callIds }),
      needsThoughts(compat, model.id) ? compat.reasoning.noThoughts || " " : null,
    ),
    ...toolFields(request, vendor),
    ...given({ max_output_tokens: responsesMaxTokens(request) }),
    ...responsesReasoning(request, compat),
    ...takenSampling(request, compat),
    ...(cacheKey !== undefined && compat.caching === "prompt_cache_key"
      ? { prompt_cache_key: cacheKey }
      : {}),
    ...given({ include: isThinking ? ["reasoning.encrypted_content"] : null }),
    store: false,
    stream: true,
  };
}

function toolFields(
  request: ModelRequest,
  vendor: Vendor,
): Pick<ResponseCreateParamsStreaming, "tools" | "tool_choice" | "parallel_tool_calls"> {
  const { toolChoice, parallelToolCalls } = request;
  const { offered } = serverToolsFor(request, vendor, "openai-responses");
  const functions = toResponsesTools(inNameOrder(request.tools), vendor);
  const tools: ResponsesTool[] = [
    ...functions,
    ...offered.map(({ type, parameters }) => ({ ...parameters, type }) as ResponsesTool),
  ];
  if (tools.length === 0) return {};
  if (functions.length === 0) return { tools };
  return {
    tools,
    ...given({
      tool_choice: toolChoice === undefined ? null : toResponsesToolChoice(toolChoice),
      parallel_tool_calls: parallelToolCalls,
    }),
  };
}

/** Sends `strict: false`, since this API's default is true, and it would then refuse most schemas (rule P3). */
function toResponsesTools(tools: readonly Tool[], { compat }: Vendor): FunctionTool[] {
  return tools.map((tool) => {
    const { name } = tool;
    const { description: text, schema } = prepareTool(tool, compat);
    return {
      type: "function",
      name,
      ...given({ description: isUnseen(text) ? null : text }),
      parameters: schema,
      strict: false,
    };
  });
}

function toResponsesToolChoice(choice: ToolChoice): ToolChoiceOptions | ToolChoiceFunction {
  return typeof choice === "string" ? choice : { type: "function", name: choice.tool };
}

const keptItems = createKept<Turn, readonly ResponseInputItem[]>();

/**
 * A response consists of several items: its text, its calls, and then their outputs (rule P2). `noThoughts` replaces
 * missing thoughts before calls; null: none are needed.
 */
function inputItems(turns: readonly Turn[], noThoughts: string | null): ResponseInputItem[] {
  const ids = new Set<string>();
  const add = (items: ResponseInputItem[], turn: Turn) => {
    if (turn.role === "user") {
      items.push({ role: "user", content: userContent(turn.content) });
      return;
    }
    const said = echoItems(turn, ids) ?? turn.content.map(assistantItem);
    items.push(...(noThoughts === null ? said : withThoughts(said, noThoughts)));
    items.push(...turn.results.map(outputItem));
  };
  return convert(keptItems, turns, { add }, noThoughts);
}

/** With thoughts directly before each call (rule P10): those of the response, repeated, or else the replacement. */
function withThoughts(
  items: readonly ResponseInputItem[],
  noThoughts: string,
): ResponseInputItem[] {
  let thoughts: object = {
    type: "reasoning",
    summary: [],
    content: [{ type: "reasoning_text", text: noThoughts }],
  };
  return items.flatMap((item, index): ResponseInputItem[] => {
    if (item.type === "reasoning") {
      const { id: _, ...rest } = item;
      thoughts = rest;
    }
    const isBare = item.type === "function_call" && items[index - 1]?.type !== "reasoning";
    return isBare && isInputItem(thoughts) ? [thoughts, item] : [item];
  });
}

function assistantItem(
  part: Extract<Turn, { role: "assistant" }>["content"][number],
): ResponseInputItem {
  if (part.type === "text") return { role: "assistant", content: part.text };
  const { id, name } = part;
  return { type: "function_call", call_id: id, name, arguments: argumentsText(part.arguments) };
}

function userContent(
  content: UserTurn["content"],
): string | (ResponseInputText | ResponseInputImage)[] {
  if (!content.every((part) => part.type === "text")) return content.map(contentPart);
  return content.map(({ text }) => text).join("\n\n");
}

function contentPart(part: TextPart | ImagePart): ResponseInputText | ResponseInputImage {
  if (part.type === "text") return { type: "input_text", text: part.text };
  if (!isSendableImage(part)) return { type: "input_text", text: imagePlaceholder(part) };
  const url = `data:${part.mime};base64,${part.data}`;
  return { type: "input_image", detail: "auto", image_url: url };
}

/** The API has no field for a failed call, so the text says it. */
function outputItem({ callId, content, isError }: ToolResultPart): ResponseInputItem {
  const output = userContent(isError ? markFailure(content) : content);
  return { type: "function_call_output", call_id: callId, output };
}

/** An item as received; in a function call, the fields that the transcript has are null. */
export type KeptItem = Readonly<Record<string, unknown>> & { readonly type: string };

interface ResponsesState {
  readonly api: "openai-responses";
  readonly items: readonly KeptItem[];
}

/** The state of a response; undefined if it had no items. `keepsThoughts`: thoughts as text go back, too. */
export function responsesState(
  items: readonly KeptItem[],
  keepsThoughts: boolean,
): ResponsesState | undefined {
  const kept = items
    .filter(
      (item) => (isSelfContained(item) || (keepsThoughts && hasText(item))) && !isSilent(item),
    )
    .map((item) => {
      if (item.type !== "function_call") return item;
      return { ...item, call_id: null, name: null, arguments: null };
    });
  return kept.length === 0 ? undefined : { api: "openai-responses", items: kept };
}

/** Reasoning without its content could only be found by its id, but nothing is stored (rule P5). */
function isSelfContained({ type, encrypted_content: content }: KeptItem): boolean {
  return type !== "reasoning" || (typeof content === "string" && content !== "");
}

function hasText({ content }: KeptItem): boolean {
  return objectsOf(content).some(({ text }) => textOf(text) !== "");
}

/** A message without text: it may come before a call, but is refused when it is sent back. */
function isSilent({ type, content }: KeptItem): boolean {
  if (type !== "message" || !Array.isArray(content)) return false;
  return content.every(
    (part) =>
      isObject(part) &&
      part.type === "output_text" &&
      typeof part.text === "string" &&
      isUnseen(part.text),
  );
}

/** Maximum length in characters of an item's id that is sent back. */
const longestItemId = 64;

/**
 * Removes an id that would be refused (rule P9); nothing is stored under it. GitHub Copilot sends longer ids than it
 * accepts, and one id for several items.
 */
function withoutBadId(kept: KeptItem, ids: Set<string>): KeptItem {
  const { id, ...item } = kept;
  if (typeof id !== "string" || id.length > longestItemId || ids.has(id)) return item;
  ids.add(id);
  return kept;
}

/** The response's items as the model sent them; null if no state fits the turn. `ids`: of all items before. */
function echoItems(turn: AssistantTurn, ids: Set<string>): ResponseInputItem[] | null {
  const state = readState(turn.state);
  if (state === null) return null;
  const calls = turn.content.filter((part) => part.type === "tool-call");
  const places = state.items.filter(({ type }) => type === "function_call");
  // Reasoning is only accepted with the item after it (rule P6); a response that ended in reasoning was cut.
  if (places.length !== calls.length || state.items.at(-1)?.type === "reasoning") return null;
  const waiting = [...calls];
  return state.items.flatMap((kept): ResponseInputItem[] => {
    const item = withoutBadId(kept, ids);
    if (item.type !== "function_call") return isInputItem(item) ? [item] : [];
    const call = waiting.shift();
    if (call === undefined) return [];
    const filled = {
      ...item,
      call_id: call.id,
      name: call.name,
      arguments: argumentsText(call.arguments),
    };
    return isInputItem(filled) ? [filled] : [];
  });
}

function readState(value: unknown): ResponsesState | null {
  if (!isObject(value) || value.api !== "openai-responses") return null;
  const { items } = value;
  if (!Array.isArray(items) || items.length === 0 || !items.every(isKeptItem)) return null;
  return { api: "openai-responses", items };
}

export function isKeptItem(item: unknown): item is KeptItem {
  return isObject(item) && typeof item.type === "string";
}

/** Only checks the type: the API made the item, and it is sent back unchanged. */
function isInputItem(item: object): item is ResponseInputItem {
  return "type" in item;
}
