/**
 * The raw events of a messages stream as parts. The SDK's own accumulation is not used: it reads cut arguments
 * leniently, so that half a call would look whole. Pure but for its own buffers.
 */
import type { StreamPart, Usage } from "../conversation/types.ts";
import { stateOf } from "./anthropic-state.ts";
import {
  type Decoder,
  endings,
  endParts,
  growCall,
  PartQueue,
  type PendingCall,
  readEvent,
} from "./decoder.ts";
import { isRecord } from "./text.ts";

interface BlockDelta {
  readonly type: string;
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly signature?: string | undefined;
  readonly partial_json?: string | undefined;
  readonly citation?: unknown;
}

interface UsageEvent {
  readonly input_tokens?: number | null | undefined;
  readonly output_tokens?: number | null | undefined;
  readonly cache_read_input_tokens?: number | null | undefined;
  readonly cache_creation_input_tokens?: number | null | undefined;
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null | undefined } | null;
}

/** What is read of an event; others pass by. */
interface AnthropicEvent {
  readonly type: string;
  readonly index?: number;
  readonly message?: { readonly usage?: UsageEvent | null };
  readonly content_block?: { readonly type: string };
  readonly delta?: BlockDelta | { readonly stop_reason?: string | null };
  readonly usage?: UsageEvent | null;
}

/** A block as received so far; `input` is JSON text until it is complete. */
type OpenBlock = { type: string } & Record<string, unknown>;

const endingOf: Partial<Record<string, (typeof endings)[keyof typeof endings]>> = {
  end_turn: endings.complete,
  stop_sequence: endings.complete,
  tool_use: endings.complete,
  max_tokens: endings.length,
  model_context_window_exceeded: endings.length,
  refusal: endings.filter,
  pause_turn: endings.pause,
};

export function createAnthropicDecoder(): Decoder {
  const queue = new PartQueue();
  const blocks = new Map<number, OpenBlock>();
  const callAt = new Map<number, PendingCall>();
  let usage: UsageEvent = {};
  let reason: string | null = null;

  const start = (index: number, received: object): readonly StreamPart[] => {
    const block: OpenBlock = { type: "", ...received };
    blocks.set(index, block);
    if (block.type === "tool_use") {
      const call = addCall(queue, block);
      callAt.set(index, call);
      return [{ type: "tool-input", name: call.name, bytes: call.bytes }];
    }
    if (block.type === "text") return textParts(queue, block.text);
    return block.type === "thinking" ? thoughtParts(queue, block.thinking) : [];
  };
  const grow = (index: number, delta: BlockDelta): readonly StreamPart[] => {
    const block = blocks.get(index);
    if (block === undefined) return [];
    switch (delta.type) {
      case "text_delta":
        append(block, "text", delta.text);
        return textParts(queue, delta.text);
      case "thinking_delta":
        append(block, "thinking", delta.thinking);
        return thoughtParts(queue, delta.thinking);
      case "signature_delta":
        append(block, "signature", delta.signature);
        return [];
      case "citations_delta":
        block.citations = [
          ...(Array.isArray(block.citations) ? block.citations : []),
          delta.citation,
        ];
        return [];
      case "input_json_delta":
        return growInput(callAt.get(index), delta.partial_json ?? "");
      default:
        return [];
    }
  };
  return {
    push(data) {
      const event = readEvent<AnthropicEvent>(data);
      const { type, index = -1, delta } = event;
      if (type === "content_block_start" && event.content_block) {
        return start(index, event.content_block);
      }
      if (type === "content_block_delta" && delta && "type" in delta) return grow(index, delta);
      if (type !== "message_start" && type !== "message_delta") return [];
      if (delta && "stop_reason" in delta) reason = delta.stop_reason ?? reason;
      usage = mergeUsage(usage, event.message?.usage ?? event.usage);
      // The numbers of message_delta are totals; those of message_start alone are not worth a part.
      return type === "message_delta" ? [{ type: "usage", usage: toUsage(usage) }] : [];
    },
    rawReason: () => reason,
    finish() {
      const raw = reason ?? "";
      const ending = Object.hasOwn(endingOf, raw) ? endingOf[raw] : undefined;
      return endParts(queue, ending, raw, stateOf([...blocks.values()]));
    },
    abandon: () => queue.release({ calls: false }),
  };
}

/** Arguments stream as text; a proxy may send them whole in the first event instead. */
function addCall(queue: PartQueue, { id, name, input }: OpenBlock): PendingCall {
  const json = isRecord(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : "";
  return queue.addCall(
    typeof id === "string" ? id : "",
    typeof name === "string" ? name : "",
    json,
  );
}

function growInput(call: PendingCall | undefined, json: string): readonly StreamPart[] {
  return call === undefined ? [] : [growCall(call, json)];
}

function append(block: OpenBlock, key: string, text: string | undefined): void {
  const known = block[key];
  block[key] = (typeof known === "string" ? known : "") + (text ?? "");
}

function textParts(queue: PartQueue, text: unknown): readonly StreamPart[] {
  return typeof text === "string" && text !== "" ? queue.pass({ type: "text-delta", text }) : [];
}

function thoughtParts(queue: PartQueue, text: unknown): readonly StreamPart[] {
  return typeof text === "string" && text !== ""
    ? queue.pass({ type: "reasoning-delta", text })
    : [];
}

/** Later numbers replace earlier ones; the API leaves out, or nulls, those that did not change. */
function mergeUsage(known: UsageEvent, next: UsageEvent | null | undefined): UsageEvent {
  const told = Object.entries(next ?? {}).filter(([, value]) => value !== null);
  return { ...known, ...Object.fromEntries(told) };
}

/** This API's input leaves out what went through the cache; ours includes it. */
function toUsage(usage: UsageEvent): Usage {
  const cacheRead = usage.cache_read_input_tokens ?? 0;
  const cacheWrite = usage.cache_creation_input_tokens ?? 0;
  const reasoning = usage.output_tokens_details?.thinking_tokens;
  return {
    input: (usage.input_tokens ?? 0) + cacheRead + cacheWrite,
    output: usage.output_tokens ?? 0,
    cacheRead,
    cacheWrite,
    ...(typeof reasoning === "number" ? { reasoning } : {}),
  };
}
