/**
 * What Anthropic wants back inside an open tool loop: the response's own blocks, thinking and signatures exactly
 * as they came and in their order (rules A8, A9), and what its own tools were asked and gave (A14). Calls are not in it: their ids and arguments come from the
 * transcript. It is opaque to everything outside this room.
 */

import type { ContentBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { given } from "../../shared/given.ts";
import { isObject } from "../../shared/json.ts";
import { isUnseen } from "../../shared/well-formed.ts";
import type { AssistantTurn, Turn } from "../request/history.ts";
import { argumentsObject, wellFormedValue } from "../text.ts";

/** A block as received, or the place of the next call. */
type KeptBlock = Readonly<Record<string, unknown>> & { readonly type: string };

interface AnthropicState {
  readonly api: "anthropic-messages";
  readonly blocks: readonly KeptBlock[];
  /** The response goes on when it comes back as it is (rule A14). */
  readonly paused?: true;
  /** Where the vendor ran code; the id is sent again beside the messages. */
  readonly container?: string;
}

/** The state of a response; undefined when text and calls are all there was. */
export function stateOf(
  blocks: readonly KeptBlock[],
  response: { readonly isPaused: boolean; readonly container: string | null },
): AnthropicState | undefined {
  const { isPaused, container } = response;
  const isPlain = blocks.every(({ type }) => type === "text" || type === "tool_use");
  if (isPlain && !isPaused) return undefined;
  return {
    api: "anthropic-messages",
    blocks: blocks.flatMap((block): KeptBlock[] => {
      if (block.type === "tool_use") return [{ type: "tool_use" }];
      // The API may send empty text, and refuses to take it back (rule A6).
      return block.type === "text" && isEmptyText(block) ? [] : [block];
    }),
    ...given({ paused: isPaused ? true : null, container }),
  };
}

/** What an assistant's turn goes out as when its state fits it. */
export interface Echo {
  readonly blocks: readonly ContentBlockParam[];
  readonly isPaused: boolean;
  readonly container: string | null;
}

/**
 * The assistants' turns as the model made them, by their places; those without a state that fits are not in it.
 * A call of a tool of the vendor's and its result may come in two responses, which then are one message: they go
 * out both or not at all.
 */
export function echoTurns(turns: readonly Turn[]): ReadonlyMap<number, Echo> {
  const echoes = new Map<number, Echo>();
  for (const [index, turn] of turns.entries()) {
    const echo = turn.role === "assistant" ? echoTurn(turn) : null;
    if (echo !== null) echoes.set(index, echo);
  }
  for (;;) {
    const torn = [...echoes.keys()].find((index) => isTorn(turns, echoes, index));
    if (torn === undefined) return echoes;
    echoes.delete(torn);
  }
}

function isTorn(turns: readonly Turn[], echoes: ReadonlyMap<number, Echo>, index: number): boolean {
  const blocks = echoes.get(index)?.blocks ?? [];
  if (continues(turns, index) && !canContinue(turns, echoes, index)) return true;
  const all = [...echoes.values()].flatMap((echo) => echo.blocks);
  const isLast = index === turns.length - 1;
  return blocks.some((block) => {
    const id = answeredId(block);
    if (id !== null) return !all.some((call) => isServerCall(call, id));
    if (block.type !== "server_tool_use" || isLast) return false;
    return !all.some((result) => answeredId(result) === block.id);
  });
}

/** Whether the turn goes into one message with the one before. */
function continues(turns: readonly Turn[], index: number): boolean {
  const before = turns[index - 1];
  return before?.role === "assistant" && before.results.length === 0;
}

/** Thinking stands in a message only when the message begins with it (rule A8). */
function canContinue(
  turns: readonly Turn[],
  echoes: ReadonlyMap<number, Echo>,
  index: number,
): boolean {
  let first = index;
  while (continues(turns, first)) {
    first -= 1;
    if (!echoes.has(first)) return false;
  }
  const thinks = echoes.get(index)?.blocks.some(isThinking) ?? false;
  const [beginning] = echoes.get(first)?.blocks ?? [];
  return !thinks || (beginning !== undefined && isThinking(beginning));
}

/**
 * Whether all responses since the last question go back with the thinking that they begin with: models that think
 * by a budget refuse a loop in which one does not.
 */
export function hasThought(turns: readonly Turn[], echoes: ReadonlyMap<number, Echo>): boolean {
  // A question directly behind results is one message with them, and ends no loop.
  const question = turns.findLastIndex((turn, index) => {
    const before = turns[index - 1];
    return turn.role === "user" && !(before?.role === "assistant" && before.results.length > 0);
  });
  return turns.every((_, index) => {
    if (index <= question || turns[index]?.role === "user") return true;
    const [first] = echoes.get(index)?.blocks ?? [];
    return first !== undefined && isThinking(first);
  });
}

function isThinking({ type }: ContentBlockParam): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function isServerCall(block: ContentBlockParam, id: string): boolean {
  return block.type === "server_tool_use" && block.id === id;
}

/** The call that a result of a tool of the vendor's belongs to. */
function answeredId(block: ContentBlockParam): string | null {
  if (block.type === "tool_result" || !block.type.endsWith("_tool_result")) return null;
  return "tool_use_id" in block ? block.tool_use_id : null;
}

function echoTurn(turn: AssistantTurn): Echo | null {
  const state = readState(turn.state);
  if (state === null) return null;
  const calls = turn.content.filter((part) => part.type === "tool-call");
  const places = state.blocks.filter(({ type }) => type === "tool_use");
  if (places.length !== calls.length) return null;
  // A message cannot end in thinking (rule A9); a response that did so was cut.
  if (/thinking$/.test(state.blocks.at(-1)?.type ?? "thinking")) return null;
  const waiting = [...calls];
  const blocks = state.blocks.flatMap((block): ContentBlockParam[] => {
    if (block.type !== "tool_use") return isBlockParam(block) ? [block] : [];
    const call = waiting.shift();
    if (call === undefined) return [];
    const input = wellFormedValue(argumentsObject(call.arguments));
    return [{ type: "tool_use", id: call.id, name: call.name, input }];
  });
  return { blocks, isPaused: state.paused === true, container: state.container ?? null };
}

function readState(value: unknown): AnthropicState | null {
  if (!isObject(value) || value.api !== "anthropic-messages") return null;
  const { blocks } = value;
  if (!Array.isArray(blocks) || !blocks.every(isKeptBlock)) return null;
  return {
    api: "anthropic-messages",
    blocks,
    ...given({
      paused: value.paused === true ? true : null,
      container: typeof value.container === "string" ? value.container : null,
    }),
  };
}

function isKeptBlock(value: unknown): value is KeptBlock {
  return isObject(value) && typeof value.type === "string";
}

/** The API made the block, so it is taken at its word; it is sent back as it was. */
function isBlockParam(block: object): block is ContentBlockParam {
  return "type" in block;
}

function isEmptyText({ text }: KeptBlock): boolean {
  return typeof text !== "string" || isUnseen(text);
}
