/** Warnings about a request that takes much of its model's context window. Pure; tokens are estimated. */
import type { Message, ModelRequest } from "../conversation/types.ts";

/** Of English text and JSON; other scripts have fewer, so that the estimate is low for them. */
const charactersOfToken = 4;
/** What an image of the usual size counts. */
const tokensOfImage = 1500;
const toolsShare = 0.05;
const requestShare = 0.8;

/** In tokens, without what the provider adds itself. */
interface RequestSize {
  readonly tools: number;
  readonly all: number;
}

function estimateSize({ system, messages, tools }: ModelRequest): RequestSize {
  const wire = tools.map(({ name, description, inputSchema }) => [name, description, inputSchema]);
  const ofTools = tools.length === 0 ? 0 : JSON.stringify(wire).length / charactersOfToken;
  const ofText = messages.reduce((sum, message) => sum + messageTokens(message), 0);
  const rest = system.length / charactersOfToken + ofText;
  return { tools: Math.round(ofTools), all: Math.round(ofTools + rest) };
}

function messageTokens(message: Message): number {
  const parts =
    message.role === "tool" ? message.results.flatMap(({ content }) => content) : message.content;
  return parts.reduce((sum, part) => {
    if (part.type === "image") return sum + tokensOfImage;
    const text = part.type === "text" ? part.text : part.arguments;
    return sum + text.length / charactersOfToken;
  }, 0);
}

/** Sentences for the person; none when the window is not known. They do not change as the chat grows. */
export function contextNotices(
  request: ModelRequest,
  contextWindow: number | null,
): readonly string[] {
  if (contextWindow === null) return [];
  const size = estimateSize(request);
  const model = `${request.model.provider}/${request.model.id}`;
  const notices: string[] = [];
  if (size.tools > contextWindow * toolsShare) {
    notices.push(
      `The descriptions of the ${request.tools.length} tools take about ${size.tools} tokens of every request, more than 5 % of the context window of ${model} (${contextWindow}). Offer fewer by tools: in the header.`,
    );
  }
  if (size.all > contextWindow * requestShare) {
    notices.push(
      `This chat nears the context window of ${model} (${contextWindow} tokens). Lower max_full_exchanges in the header, so that older exchanges are sent as their summaries, or begin a new chat.`,
    );
  }
  return notices;
}
