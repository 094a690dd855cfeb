/**
 * What Anthropic wants back inside an open tool loop: the response's own blocks, thinking and signatures exactly
 * as they came and in their order (rules A8, A9). Calls are not in it: their ids and arguments come from the
 * transcript. It is opaque to everything outside this room.
 */
import type { ContentBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { AssistantTurn } from "./history.ts";
import { argumentsObject, isBlank, isRecord, wellFormedValue } from "./text.ts";

/** A block as received, or the place of the next call. */
type KeptBlock = Readonly<Record<string, unknown>> & { readonly type: string };

interface AnthropicState {
  readonly api: "anthropic-messages";
  readonly blocks: readonly KeptBlock[];
}

/** The state of a response; undefined when text and calls are all there was. */
export function stateOf(blocks: readonly KeptBlock[]): AnthropicState | undefined {
  if (blocks.every(({ type }) => type === "text" || type === "tool_use")) return undefined;
  return {
    api: "anthropic-messages",
    blocks: blocks.flatMap((block): KeptBlock[] => {
      if (block.type === "tool_use") return [{ type: "tool_use" }];
      // The API may send empty text, and refuses to take it back (rule A6).
      return block.type === "text" && isEmptyText(block) ? [] : [block];
    }),
  };
}

/** The content of the assistant's message as the model made it; null when there is no state that fits it. */
export function echoBlocks(turn: AssistantTurn): ContentBlockParam[] | null {
  const state = readState(turn.state);
  if (state === null) return null;
  const calls = turn.content.filter((part) => part.type === "tool-call");
  const places = state.blocks.filter(({ type }) => type === "tool_use");
  if (places.length !== calls.length) return null;
  // A message cannot end in thinking (rule A9); a response that did so was cut.
  if (/thinking$/.test(state.blocks.at(-1)?.type ?? "thinking")) return null;
  const waiting = [...calls];
  return state.blocks.flatMap((block): ContentBlockParam[] => {
    if (block.type !== "tool_use") return isBlockParam(block) ? [block] : [];
    const call = waiting.shift();
    if (call === undefined) return [];
    const input = wellFormedValue(argumentsObject(call.arguments));
    return [{ type: "tool_use", id: call.id, name: call.name, input }];
  });
}

function readState(value: unknown): AnthropicState | null {
  if (!isRecord(value) || value.api !== "anthropic-messages") return null;
  const { blocks } = value;
  if (!Array.isArray(blocks) || !blocks.every(isKeptBlock)) return null;
  return { api: "anthropic-messages", blocks };
}

function isKeptBlock(value: unknown): value is KeptBlock {
  return isRecord(value) && typeof value.type === "string";
}

/** The API made the block, so it is taken at its word; it is sent back as it was. */
function isBlockParam(block: object): block is ContentBlockParam {
  return "type" in block;
}

function isEmptyText({ text }: KeptBlock): boolean {
  return typeof text !== "string" || isBlank(text);
}
