/** The raw chunks of a chat completions stream as parts. Pure but for its own buffers. */

import type { StreamPart, Usage } from "../../conversation/ports.ts";
import { isObject, ownValue } from "../../shared/json.ts";
import {
  type Decoder,
  type Ending,
  endings,
  endParts,
  PartQueue,
  readEvent,
} from "../stream/decoder.ts";
import type { ReasoningRules } from "../vendors/compat.ts";
import { type CallDelta, createCallReader } from "./call-deltas.ts";
import { createStateGatherer, type OpenAIUsage, openaiUsage } from "./openai-state.ts";
import { createThinkSplitter } from "./think-tags.ts";

/** A part of a content that is a list (Mistral's models that think). */
interface ContentPart {
  readonly type?: string;
  readonly text?: unknown;
  readonly thinking?: unknown;
}

interface Delta {
  readonly content?: string | readonly ContentPart[] | null | undefined;
  readonly refusal?: string | null | undefined;
  /** Not in the SDK's types: reasoning of compatible vendors goes by one of these names. */
  readonly reasoning_content?: string | null | undefined;
  readonly reasoning?: string | null | undefined;
  readonly reasoning_text?: string | null | undefined;
  readonly reasoning_details?: unknown;
  /** Google's, of a content that is a thought. */
  readonly extra_content?: unknown;
  readonly tool_calls?: readonly CallDelta[] | null | undefined;
  /** Of the time before tools. */
  readonly function_call?: CallDelta["function"];
}

interface UsageChunk {
  readonly prompt_tokens?: number | null | undefined;
  readonly completion_tokens?: number | null | undefined;
  readonly prompt_tokens_details?: OpenAIUsage["inputDetails"];
  readonly completion_tokens_details?: OpenAIUsage["outputDetails"];
  /** OpenRouter's, in US dollars. */
  readonly cost?: number | null | undefined;
}

/** What is read of a chunk. Compatible vendors leave out much of what the SDK's types promise. */
interface OpenAIChunk {
  readonly choices?:
    | readonly {
        readonly delta?: Delta | null | undefined;
        /** In place of a delta: the answer came whole. */
        readonly message?: Delta | null | undefined;
        readonly finish_reason?: string | null | undefined;
        /** Moonshot's place for it. */
        readonly usage?: UsageChunk | null | undefined;
      }[]
    | null
    | undefined;
  readonly usage?: UsageChunk | null | undefined;
}

/** By the word in small letters: servers write it in many ways. */
const endingOf: Partial<Record<string, Ending>> = {
  stop: endings.complete,
  eos: endings.complete,
  eos_token: endings.complete,
  stop_sequence: endings.complete,
  end_turn: endings.complete,
  tool_use: endings.complete,
  tool_calls: endings.complete,
  function_call: endings.complete,
  length: endings.length,
  max_tokens: endings.length,
  model_length: endings.length,
  content_filter: endings.filter,
  safety: endings.filter,
  error: endings.failure,
};

/** `echo`: what of a response has to come back, by the vendor's row. */
export function createOpenAIDecoder(echo: ReasoningRules["echo"] = null): Decoder {
  const queue = new PartQueue();
  const gatherer = createStateGatherer(echo);
  const readContent = createContentReader();
  const thinking = createThinkSplitter();
  const calls = createCallReader(queue);
  let reason: string | null = null;
  const flush = () => thinking.end().flatMap((part) => queue.pass(part));
  const pushDelta = (delta: Delta): readonly StreamPart[] => {
    const parts: StreamPart[] = [];
    const reasoning = reasoningOf(delta);
    if (reasoning !== "") parts.push(...queue.pass({ type: "reasoning-delta", text: reasoning }));
    for (const part of readContent(delta)) {
      const split = part.type === "text-delta" ? thinking.push(part.text) : [part];
      for (const each of split) parts.push(...queue.pass(each));
    }
    gatherer.delta({ ...delta });
    for (const each of callsOf(delta)) {
      // What was held back stands before the call.
      parts.push(...flush());
      const { place, parts: grown } = calls.push(each);
      parts.push(...grown);
      gatherer.call(place, { ...each });
    }
    return parts;
  };
  const pushChunk = (chunk: OpenAIChunk): readonly StreamPart[] => {
    const choice = chunk.choices?.[0];
    const delta = choice?.delta ?? choice?.message;
    const parts = delta ? [...pushDelta(delta)] : [];
    if (choice?.finish_reason) reason = choice.finish_reason;
    const usage = chunk.usage ?? choice?.usage;
    if (usage) parts.push({ type: "usage", usage: toUsage(usage) });
    return parts;
  };
  return {
    push: (data) => (data.startsWith("[DONE]") ? [] : pushChunk(readEvent<OpenAIChunk>(data))),
    pushWhole(answer) {
      const parts = pushChunk(answer);
      reason ??= "stop";
      return parts;
    },
    rawReason: () => reason,
    finish() {
      const raw = reason ?? "";
      const word = raw.toLowerCase();
      const ending = ownValue(endingOf, word);
      const held = flush();
      return [...held, ...endParts(queue, ending, raw, gatherer.state(queue.calls.length))];
    },
    abandon: () => [...flush(), ...queue.release({ calls: false })],
  };
}

function callsOf({ tool_calls: calls, function_call: called }: Delta): readonly CallDelta[] {
  if (calls) return calls;
  return called ? [{ index: 0, function: called }] : [];
}

/** The thoughts of a delta: a vendor that gives their details too means the same by both. */
function reasoningOf(delta: Delta): string {
  const text = delta.reasoning_content || delta.reasoning || delta.reasoning_text;
  if (typeof text === "string" && text !== "") return text;
  const { reasoning_details: details } = delta;
  if (!Array.isArray(details)) return "";
  return details
    .filter(isObject)
    .map(({ text: words, summary }) => (isText(words) ? words : isText(summary) ? summary : ""))
    .join("");
}

/** Reads the content of one delta after the other: where thoughts of Google's end is told by the text after them. */
function createContentReader(): (delta: Delta) => readonly StreamPart[] {
  let isThinking = false;
  return (delta) => {
    const parts = contentParts(delta.content || delta.refusal);
    const [first] = parts;
    if (first?.type !== "text-delta") return parts;
    const wasThinking = isThinking;
    isThinking = isGoogleThought(delta.extra_content);
    if (isThinking) {
      const text = wasThinking ? first.text : first.text.replace(/^<thought>/, "");
      return text === "" ? [] : [{ type: "reasoning-delta", text }];
    }
    const text = wasThinking ? first.text.replace(/^<\/thought>/, "") : first.text;
    return text === "" ? [] : [{ type: "text-delta", text }, ...parts.slice(1)];
  };
}

/** Thoughts come as text between tags, with a mark beside it (rule G5). */
function isGoogleThought(extra: unknown): boolean {
  return isObject(extra) && isObject(extra.google) && extra.google.thought === true;
}

function contentParts(content: Delta["content"]): readonly StreamPart[] {
  if (!content) return [];
  if (typeof content === "string") return [{ type: "text-delta", text: content }];
  return content.flatMap((part): StreamPart[] => {
    if (part.type === "thinking") return thoughts(part.thinking);
    return isText(part.text) ? [{ type: "text-delta", text: part.text }] : [];
  });
}

function thoughts(thinking: unknown): StreamPart[] {
  if (isText(thinking)) return [{ type: "reasoning-delta", text: thinking }];
  if (!Array.isArray(thinking)) return [];
  return thinking.flatMap((part: unknown): StreamPart[] =>
    isObject(part) && isText(part.text) ? [{ type: "reasoning-delta", text: part.text }] : [],
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function toUsage(usage: UsageChunk): Usage {
  return openaiUsage({
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    inputDetails: usage.prompt_tokens_details,
    outputDetails: usage.completion_tokens_details,
    cost: usage.cost,
  });
}
