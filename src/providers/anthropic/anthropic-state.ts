/**
 * State that Anthropic requires back inside an open tool loop: the response's own blocks, with thinking and signatures
 * exactly as received and in order (rules A8, A9), and the calls and results of its own tools (A14). It contains no ids
 * and arguments of our calls, which come from the transcript. It is opaque to everything outside this folder.
 */

import type { ContentBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { given } from "../../shared/given.ts";
import { isObject } from "../../shared/json.ts";
import { isUnseen } from "../../shared/well-formed.ts";
import type { AssistantTurn, Turn } from "../request/history.ts";
import { argumentsObject, wellFormedValue } from "../text.ts";

/** A block as received, or a placeholder for the next call. */
type KeptBlock = Readonly<Record<string, unknown>> & { readonly type: string };

interface AnthropicState {
  readonly api: "anthropic-messages";
  readonly blocks: readonly KeptBlock[];
  /** The response continues when it is sent back unchanged (rule A14). */
  readonly paused?: true;
  /** Where the vendor ran code; its id is sent back next to the messages. */
  readonly container?: string;
}

/** All but the calls and results of the vendor's own tools. */
const isPlainType = /^(?:text|tool_use|thinking|redacted_thinking)$/;

/** The state of a response; undefined if it has only text and calls. */
export function stateOf(
  blocks: readonly KeptBlock[],
  response: { readonly isPaused: boolean; readonly container: string | null },
): AnthropicState | undefined {
  const { container } = response;
  const isPlain = blocks.every(({ type }) => type === "text" || type === "tool_use");
  if (isPlain) return undefined;
  // Only a response with a tool of the vendor's own goes on by itself; any other is refused as the last message.
  const isPaused = response.isPaused && blocks.some(({ type }) => !isPlainType.test(type));
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

/** What is sent for an assistant turn whose state fits. */
export interface Echo {
  readonly blocks: readonly ContentBlockParam[];
  readonly isPaused: boolean;
  readonly container: string | null;
}

/**
 * The assistant turns as the model made them, keyed by index; turns without a fitting state are left out. A call of one
 * of the vendor's tools and its result may be in two responses, which then form one message: both are sent or neither.
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

/** Whether the turn joins the turn before it in one message. */
function continues(turns: readonly Turn[], index: number): boolean {
  const before = turns[index - 1];
  return before?.role === "assistant" && before.results.length === 0;
}

/** Thinking is only accepted in a message that begins with thinking (rule A8). */
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
 * Whether every response since the last question is sent back with thinking at its start: models with a thinking
 * budget refuse a tool loop in which one response lacks it.
 */
export function hasThought(turns: readonly Turn[], echoes: ReadonlyMap<number, Echo>): boolean {
  // A question directly after results joins their message, so it does not end the loop.
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

/** The id of the call that a result of one of the vendor's tools belongs to. */
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
  // A message must not end in thinking (rule A9); a response that did so was cut.
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

/** Only checks the type: the API made the block, and it is sent back unchanged. */
function isBlockParam(block: object): block is ContentBlockParam {
  return "type" in block;
}

function isEmptyText({ text }: KeptBlock): boolean {
  return typeof text !== "string" || isUnseen(text);
}
