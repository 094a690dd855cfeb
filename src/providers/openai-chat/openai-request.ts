/** Converts a neutral request to the body of OpenAI's chat completions API (rules O1–O9, doc/providers.md). Pure. */

import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionToolChoiceOption,
} from "openai/resources/chat/completions";
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
import {
  type AssistantTurn,
  isSeam,
  type Turn,
  toTurns,
  type UserTurn,
} from "../request/history.ts";
import { type DescribedTool, prepareTool } from "../request/prepare-tool.ts";
import { inNameOrder } from "../request/tool-schema.ts";
import { argumentsText, failureText, imagePlaceholder, isSendableImage } from "../text.ts";
import { type Compat, fits, takenSampling } from "../vendors/compat.ts";
import { chatReasoning } from "../vendors/reasoning.ts";
import { compatOf } from "../vendors/vendors.ts";
import { type Echo, echoOf } from "./openai-state.ts";

/** Exactly what an OpenAI-compatible vendor receives; `compat` defaults to that of `model.provider`. */
export function toOpenAIRequest(
  request: ModelRequest,
  compat: Compat = compatOf(request.model.provider),
): ChatCompletionCreateParamsStreaming {
  const { maxOutputTokens, cacheKey, tools, toolChoice, parallelToolCalls } = request;
  const turns = toTurns(request, compat);
  const hasCalls = turns.some((turn) => turn.role === "assistant" && turn.results.length > 0);
  const sorted = toOpenAITools(inNameOrder(tools), compat);
  const offered = sorted.length > 0;
  return {
    model: request.model.id,
    messages: toMessages(turns, request, compat),
    ...given({
      tools: offered || (hasCalls && compat.emptyToolsWithHistory) ? sorted : null,
      tool_choice: offered && toolChoice !== undefined ? choiceWord(toolChoice, compat) : null,
    }),
    ...(offered && parallelToolCalls !== undefined && compat.parallelField !== null
      ? { [compat.parallelField]: parallelToolCalls }
      : {}),
    ...given({ [compat.maxTokensField]: maxOutputTokens }),
    ...takenSampling(request, compat),
    ...chatReasoning(request, compat),
    ...(cacheKey !== undefined && compat.caching === "prompt_cache_key"
      ? { prompt_cache_key: cacheKey }
      : {}),
    ...(fits(compat.cacheMark, request.model.id) ? cacheMark : {}),
    stream: true,
    ...given({ stream_options: compat.usageInStream ? { include_usage: true } : null }),
  };
}

const keptMessages = createKept<Turn, readonly ChatCompletionMessageParam[]>();

/** Appends to one list, since an old chat may have ten thousand exchanges. */
function toMessages(
  turns: readonly Turn[],
  request: ModelRequest,
  compat: Compat,
): ChatCompletionMessageParam[] {
  const modelId = request.model.id;
  const add = (messages: ChatCompletionMessageParam[], turn: Turn, index: number) => {
    if (turn.role === "user") {
      messages.push(userMessage(withImages(imagesBefore(turns, index), turn.content)));
    } else {
      addAnswer(messages, turn, { compat, modelId, next: turns[index + 1] });
    }
  };
  return [
    ...systemMessages(request, compat),
    ...convert(keptMessages, turns, { add, isSeam }, compat, modelId),
    ...lastWord(turns, request, compat),
  ];
}

function addAnswer(
  messages: ChatCompletionMessageParam[],
  turn: AssistantTurn,
  {
    compat,
    modelId,
    next,
  }: { readonly compat: Compat; readonly modelId: string; readonly next: Turn | undefined },
): void {
  const echo = echoOf(turn, compat, modelId);
  const text = joined(turn.content);
  const content = text === "" ? compat.noText : text;
  const said = { role: "assistant", content, ...echo.message } as const;
  if (turn.results.length === 0) {
    messages.push(said);
    return;
  }
  messages.push(...calledSteps(said, toolCalls(turn, echo), turn.results, compat));
  const isQuestionNext = next?.role === "user";
  // Otherwise the next question begins with them.
  const images = isQuestionNext ? [] : resultImages(turn.results);
  const isBetween = isQuestionNext || images.length > 0;
  if (isBetween && compat.assistantAfterResults) messages.push(resultsRead);
  if (images.length > 0) messages.push(userMessage(images));
}

/** The message, its calls and their results; one step per call if the model refuses several calls, or text with one. */
function calledSteps(
  said: ChatCompletionAssistantMessageParam,
  calls: readonly ChatCompletionMessageFunctionToolCall[],
  results: readonly ToolResultPart[],
  { callsAlone, noText }: Compat,
): ChatCompletionMessageParam[] {
  const answers = results.map(toolMessage);
  if (!callsAlone) return [{ ...said, tool_calls: [...calls] }, ...answers];
  const alone = { ...said, content: noText };
  return calls.flatMap((call, index) => [
    { ...alone, tool_calls: [call] },
    ...answers.slice(index, index + 1),
  ]);
}

/** Not in the SDK's types; OpenRouter passes it on. */
const cacheMark = { cache_control: { type: "ephemeral" } };

/** Follows a paused step that another model takes over, if that model does not continue its own text. */
function lastWord(
  turns: readonly Turn[],
  { model }: ModelRequest,
  { endsWithUser }: Compat,
): ChatCompletionMessageParam[] {
  const last = turns.at(-1);
  const isOpen = last?.role === "assistant" && last.results.length === 0;
  return isOpen && fits(endsWithUser, model.id) ? [{ role: "user", content: "Continue." }] : [];
}

/** Goes between results and the next question, for vendors that require an assistant message there. */
const resultsRead: ChatCompletionMessageParam = {
  role: "assistant",
  content: "I have read the results.",
};

/** Tools in the form of chat completions, in the given order, prepared for the vendor. */
export function toOpenAITools(
  tools: readonly DescribedTool[],
  compat: Compat = compatOf("openai"),
): ChatCompletionFunctionTool[] {
  return tools.map((tool) => {
    const { name } = tool;
    const { description: text, schema } = prepareTool(tool, compat);
    return {
      type: "function",
      function: {
        name,
        ...given({ description: isUnseen(text) ? null : text }),
        parameters: schema,
      },
    };
  });
}

/** A tool choice in the form of chat completions. */
export function toOpenAIToolChoice(choice: ToolChoice): ChatCompletionToolChoiceOption {
  return typeof choice === "string"
    ? choice
    : { type: "function", function: { name: choice.tool } };
}

/** Mistral uses another word for `required`, which is not in the SDK's types. */
function choiceWord(choice: ToolChoice, { requiredWord }: Compat): ChatCompletionToolChoiceOption {
  if (choice !== "required") return toOpenAIToolChoice(choice);
  return requiredWord as "required";
}

function systemMessages(
  { system, model }: ModelRequest,
  { developerRole }: Compat,
): ChatCompletionMessageParam[] {
  if (isUnseen(system)) return [];
  const role = fits(developerRole, model.id) ? "developer" : "system";
  return [{ role, content: wellFormed(system) }];
}

/** Sends plain text as one string: some vendors show arrays to the model literally (rule O4). */
function userMessage(content: UserTurn["content"]): ChatCompletionMessageParam {
  if (content.every((part) => part.type === "text")) {
    return { role: "user", content: joined(content) };
  }
  return { role: "user", content: content.map(contentPart) };
}

function withImages(images: UserTurn["content"], content: UserTurn["content"]) {
  return images.length === 0 ? content : [...images, ...content];
}

/** Joins the texts among the parts with blank lines; most messages have only one. */
function joined(parts: AssistantTurn["content"] | UserTurn["content"]): string {
  const [first] = parts;
  if (parts.length === 1 && first?.type === "text") return first.text;
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

function contentPart(part: TextPart | ImagePart): ChatCompletionContentPart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (!isSendableImage(part)) return { type: "text", text: imagePlaceholder(part) };
  return { type: "image_url", image_url: { url: `data:${part.mime};base64,${part.data}` } };
}

function toolCalls(
  { content }: AssistantTurn,
  echo: Echo,
): ChatCompletionMessageFunctionToolCall[] {
  return content
    .filter((part) => part.type === "tool-call")
    .map((part, index) => ({
      id: part.id,
      type: "function",
      function: { name: part.name, arguments: argumentsText(part.arguments) },
      ...echo.calls[index],
    }));
}

function imagesBefore(turns: readonly Turn[], index: number): UserTurn["content"] {
  const before = turns[index - 1];
  return before?.role === "assistant" ? resultImages(before.results) : [];
}

/** The API has no field for a failed call, so the text says it. */
function toolMessage({ callId, content, isError }: ToolResultPart): ChatCompletionMessageParam {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const images = content.length - texts.length;
  if (images > 0)
    texts.push(`(${images === 1 ? "an image" : `${images} images`} in the next user message)`);
  const text = texts.join("\n\n");
  return {
    role: "tool",
    tool_call_id: callId,
    content: failureText(text, isError),
  };
}

/** A tool message takes only text, so the images of a batch follow after all of its results (rule O7). */
function resultImages(results: readonly ToolResultPart[]): UserTurn["content"] {
  return results.flatMap((result): (TextPart | ImagePart)[] => {
    const images = result.content.filter((part) => part.type === "image");
    if (images.length === 0) return [];
    return [{ type: "text", text: `From ${result.name} (${result.callId}):` }, ...images];
  });
}
