/** A neutral request as the body of OpenAI's Responses API (rules P1–P9, doc/providers.md). Pure. */
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
} from "../conversation/types.ts";
import { fits } from "./compat.ts";
import { type Turn, toTurns, type UserTurn } from "./history.ts";
import { imagePlaceholder, isSendableImage } from "./images.ts";
import { inlineSchema } from "./inline-schema.ts";
import { echoItems } from "./openai-responses-state.ts";
import { responsesReasoning } from "./reasoning.ts";
import { serverToolsFor } from "./server-tools.ts";
import { argumentsText, failureText, isBlank, wellFormed } from "./text.ts";
import { inNameOrder, objectSchema, shortDescription } from "./tool-schema.ts";
import type { Vendor } from "./vendor.ts";

/** Longer here than in chat completions (rule P4). */
const callIds = { length: 64, isExact: false } as const;

/** A lower limit is refused here. */
const fewestTokens = 16;

/** Exactly what goes over the wire. Nothing is stored at the vendor: the history is the transcript's (rule P1). */
export function toResponsesRequest(
  request: ModelRequest,
  vendor: Vendor,
): ResponseCreateParamsStreaming {
  const { compat } = vendor;
  const { model, system, maxOutputTokens, temperature, topP, cacheKey } = request;
  const isThinking = fits(compat.reasoning.encrypted, model.id);
  return {
    model: model.id,
    ...(isBlank(system) ? {} : { instructions: wellFormed(system) }),
    input: toTurns(request, { callIds }).flatMap(inputItems),
    ...toolFields(request, vendor),
    ...(maxOutputTokens === undefined
      ? {}
      : { max_output_tokens: Math.max(fewestTokens, maxOutputTokens) }),
    ...responsesReasoning(request, compat),
    ...(temperature !== undefined && fits(compat.temperature, model.id) ? { temperature } : {}),
    ...(topP !== undefined && fits(compat.topP, model.id) ? { top_p: topP } : {}),
    ...(cacheKey !== undefined && compat.caching === "prompt_cache_key"
      ? { prompt_cache_key: cacheKey }
      : {}),
    ...(isThinking ? { include: ["reasoning.encrypted_content"] } : {}),
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
    ...(toolChoice === undefined ? {} : { tool_choice: toResponsesToolChoice(toolChoice) }),
    ...(parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }),
  };
}

/** `strict` is said, because this API would take it for true and then refuse most schemas (rule P3). */
function toResponsesTools(tools: readonly Tool[], { compat }: Vendor): FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => {
    const text = shortDescription(description, compat.toolDescriptionLength);
    return {
      type: "function",
      name,
      ...(isBlank(text) ? {} : { description: text }),
      parameters: objectSchema(compat.inlineReferences ? inlineSchema(inputSchema) : inputSchema),
      strict: false,
    };
  });
}

function toResponsesToolChoice(choice: ToolChoice): ToolChoiceOptions | ToolChoiceFunction {
  return typeof choice === "string" ? choice : { type: "function", name: choice.tool };
}

/** A response is several items: its text, its calls, then their outputs (rule P2). */
function inputItems(turn: Turn): ResponseInputItem[] {
  if (turn.role === "user") return [{ role: "user", content: userContent(turn.content) }];
  const said = echoItems(turn) ?? turn.content.map(assistantItem);
  return [...said, ...turn.results.map(outputItem)];
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

/** There is no field for a failed call, so the text has to say it. */
function outputItem({ callId, content, isError }: ToolResultPart): ResponseInputItem {
  const output = content.map((part, index) =>
    part.type === "text" && index === 0 ? { ...part, text: failureText(part.text, isError) } : part,
  );
  return { type: "function_call_output", call_id: callId, output: userContent(output) };
}
