/** The raw chunks of a chat completions stream as parts. Pure but for its own buffers. */

import type { StreamPart, Usage } from "../../conversation/ports.ts";
import { isObject } from "../../shared/json.ts";
import {
  type Decoder,
  endings,
  endParts,
  growCall,
  PartQueue,
  type PendingCall,
  readEvent,
} from "../decoder.ts";
import type { ReasoningRules } from "../vendors/compat.ts";
import { createStateGatherer, type OpenAIUsage, openaiUsage } from "./openai-state.ts";

interface CallDelta {
  readonly index?: number | null | undefined;
  readonly id?: string | null | undefined;
  readonly function?:
    | { readonly name?: string | null | undefined; readonly arguments?: string | null | undefined }
    | undefined;
}

/** A part of a content that is a list (Mistral's models that think). */
interface ContentPart {
  readonly type?: string;
  readonly text?: unknown;
  readonly thinking?: unknown;
}

interface Delta {
  readonly content?: string | readonly ContentPart[] | null | undefined;
  readonly refusal?: string | null | undefined;
  /** Not in the SDK's types: reasoning of compatible vendors goes by one of these two names. */
  readonly reasoning_content?: string | null | undefined;
  readonly reasoning?: string | null | undefined;
  /** Google's, of a content that is a thought. */
  readonly extra_content?: unknown;
  readonly tool_calls?: readonly CallDelta[] | null | undefined;
}

interface UsageChunk {
  readonly prompt_tokens?: number | null | undefined;
  readonly completion_tokens?: number | null | undefined;
  readonly prompt_tokens_details?: OpenAIUsage["inputDetails"];
  readonly completion_tokens_details?: OpenAIUsage["outputDetails"];
}

/** What is read of a chunk. Compatible vendors leave out much of what the SDK's types promise. */
interface OpenAIChunk {
  readonly choices?:
    | readonly {
        readonly delta?: Delta | null | undefined;
        readonly finish_reason?: string | null | undefined;
      }[]
    | null
    | undefined;
  readonly usage?: UsageChunk | null | undefined;
}

const endingOf: Partial<Record<string, (typeof endings)[keyof typeof endings]>> = {
  stop: endings.complete,
  tool_calls: endings.complete,
  function_call: endings.complete,
  length: endings.length,
  model_length: endings.length,
  content_filter: endings.filter,
};

/** `echo`: what of a response has to come back, by the vendor's row. */
export function createOpenAIDecoder(echo: ReasoningRules["echo"] = null): Decoder {
  const queue = new PartQueue();
  const gatherer = createStateGatherer(echo);
  const readContent = createContentReader();
  const callAt = new Map<number, PendingCall>();
  let reason: string | null = null;
  return {
    push(data) {
      if (data.startsWith("[DONE]")) return [];
      const chunk = readEvent<OpenAIChunk>(data);
      const parts: StreamPart[] = [];
      const choice = chunk.choices?.[0];
      const delta = choice?.delta;
      const reasoning = delta?.reasoning_content || delta?.reasoning;
      if (reasoning) parts.push(...queue.pass({ type: "reasoning-delta", text: reasoning }));
      for (const part of delta ? readContent(delta) : []) parts.push(...queue.pass(part));
      if (delta) gatherer.delta({ ...delta });
      for (const each of delta?.tool_calls ?? []) {
        const call = findCall(queue, callAt, each);
        parts.push(pushCall(call, each));
        gatherer.call(queue.calls.indexOf(call), { ...each });
      }
      if (choice?.finish_reason) reason = choice.finish_reason;
      if (chunk.usage) parts.push({ type: "usage", usage: toUsage(chunk.usage) });
      return parts;
    },
    rawReason: () => reason,
    finish() {
      const raw = reason ?? "";
      return endParts(
        queue,
        Object.hasOwn(endingOf, raw) ? endingOf[raw] : undefined,
        raw,
        gatherer.state(queue.calls.length),
      );
    },
    abandon: () => queue.release({ calls: false }),
  };
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

function pushCall(call: PendingCall, delta: CallDelta): StreamPart {
  call.name ||= delta.function?.name ?? "";
  return growCall(call, delta.function?.arguments ?? "");
}

/**
 * The call that a delta continues. By index, but compatible vendors leave it out, or send every call of a batch
 * with index 0: an id that differs from the one known there begins another call.
 */
function findCall(
  queue: PartQueue,
  callAt: Map<number, PendingCall>,
  { index, id, function: called }: CallDelta,
): PendingCall {
  if (typeof index !== "number") {
    const known = id ? queue.calls.find((call) => call.id === id) : undefined;
    const isNew = Boolean(id) || Boolean(called?.name);
    return known ?? (isNew ? undefined : queue.calls.at(-1)) ?? queue.addCall(id ?? "", "");
  }
  const at = callAt.get(index);
  if (at !== undefined && (!id || at.id === "" || at.id === id)) {
    at.id ||= id ?? "";
    return at;
  }
  const added = queue.addCall(id ?? "", "");
  callAt.set(index, added);
  return added;
}

function toUsage(usage: UsageChunk): Usage {
  return openaiUsage({
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    inputDetails: usage.prompt_tokens_details,
    outputDetails: usage.completion_tokens_details,
  });
}
