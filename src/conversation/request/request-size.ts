/** Estimates how many tokens a request has before it is sent. Pure. */
import { createKept } from "../../shared/kept.ts";
import type { Message, ModelRequest, Tool } from "../ports.ts";

/** For English text and JSON; other scripts have fewer characters per token, so their estimate is too low. */
const charactersOfToken = 4;
/** Estimate for an image of the usual size. */
export const tokensOfImage = 1500;

/** In tokens, without what the provider adds itself. */
export interface RequestSize {
  readonly tools: number;
  readonly all: number;
}

export function estimateSize({ system, messages, tools }: ModelRequest): RequestSize {
  const ofTools = toolTokens(tools);
  const ofText = tokensOfMessages(messages);
  const rest = system.length / charactersOfToken + ofText;
  return { tools: Math.round(ofTools), all: Math.round(ofTools + rest) };
}

const keptSizes = createKept<Message, number>();

function tokensOfMessages(messages: readonly Message[]): number {
  let sum = 0;
  keptSizes.walk(messages, {
    each(message) {
      sum += messageTokens(message);
    },
    segment(tokens) {
      sum += tokens;
      return true;
    },
  });
  keptSizes.keep(messages, () => sum);
  return sum;
}

/** The tokens of the tools' definitions. */
export function tokensOfTools(tools: readonly Tool[]): number {
  return Math.round(toolTokens(tools));
}

function toolTokens(tools: readonly Tool[]): number {
  if (tools.length === 0) return 0;
  const sent = tools.map(({ name, description, inputSchema }) => [name, description, inputSchema]);
  return JSON.stringify(sent).length / charactersOfToken;
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

/** The tokens of a text. */
export function tokensOf(text: string): number {
  return Math.round(text.length / charactersOfToken);
}
