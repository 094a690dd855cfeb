/**
 * The raw events of a messages stream as parts. The SDK's own accumulation is not used: it reads cut arguments
 * leniently, so that half a call would look whole. Pure but for its own buffers.
 */

import type { StreamPart, Usage } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import { isObject, ownValue } from "../../shared/json.ts";
import { AnswerText, anthropicNote } from "../stream/answer-text.ts";
import {
  type Decoder,
  type Ending,
  endings,
  endParts,
  growCall,
  PartQueue,
  type PendingCall,
  readEvent,
} from "../stream/decoder.ts";
import { stateOf } from "./anthropic-state.ts";

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

/** Where the vendor ran code; it is named again, so that the next call finds its files. */
type Container = { readonly id?: string } | null;

interface EndDelta {
  readonly stop_reason?: string | null;
  readonly stop_details?: { readonly explanation?: string | null } | null;
  readonly container?: Container;
}

/** What is read of an event; others pass by. */
interface AnthropicEvent {
  readonly type: string;
  readonly index?: number;
  readonly message?: { readonly usage?: UsageEvent | null; readonly container?: Container };
  readonly content_block?: { readonly type: string };
  readonly delta?: BlockDelta | EndDelta;
  readonly usage?: UsageEvent | null;
}

/** An answer that did not stream. */
interface WholeMessage {
  readonly content?: readonly { readonly type: string }[];
  readonly usage?: UsageEvent | null;
  readonly stop_reason?: string | null;
  readonly container?: Container;
}

/** A block as received so far; `input` is JSON text until it is complete. */
type OpenBlock = { type: string } & Record<string, unknown>;

const endingOf: Partial<Record<string, Ending>> = {
  end_turn: endings.complete,
  stop_sequence: endings.complete,
  tool_use: endings.complete,
  max_tokens: endings.length,
  model_context_window_exceeded: endings.context,
  refusal: endings.filter,
  pause_turn: endings.pause,
};

export function createAnthropicDecoder(): Decoder {
  const response = new AnthropicDecoder();
  return {
    push: (data) => response.push(readEvent<AnthropicEvent>(data)),
    pushWhole: (answer) => wholeEvents(answer).flatMap((event) => response.push(event)),
    rawReason: () => response.reason,
    finish: () => response.finish(),
    abandon: () => response.queue.release({ calls: false }),
  };
}

/** A message that came whole, as the events that it would have streamed as. */
function wholeEvents(answer: WholeMessage): readonly AnthropicEvent[] {
  const { content = [], usage = null, stop_reason: reason = "end_turn", container = null } = answer;
  const blocks = content.flatMap((block, index): AnthropicEvent[] => [
    { type: "content_block_start", index, content_block: block },
    { type: "content_block_stop", index },
  ]);
  return [
    { type: "message_start", message: { usage, container } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: reason }, usage },
  ];
}

class AnthropicDecoder {
  readonly queue = new PartQueue();
  reason: string | null = null;
  readonly #text = new AnswerText();
  readonly #blocks = new Map<number, OpenBlock>();
  readonly #callAt = new Map<number, PendingCall>();
  /** Inputs of the vendor's own tools, JSON text until they are complete. */
  readonly #inputs = new Map<number, string>();
  #usage: UsageEvent = {};
  #container: string | null = null;
  #detail: string | undefined;

  push(event: AnthropicEvent): readonly StreamPart[] {
    const { type, index = -1, delta } = event;
    switch (type) {
      case "content_block_start":
        return event.content_block ? this.#start(index, event.content_block) : [];
      case "content_block_delta":
        return delta && "type" in delta ? this.#grow(index, delta) : [];
      case "content_block_stop":
        return this.#stop(index);
      case "message_start":
      case "message_delta":
        return this.#tell(event);
      default:
        return [];
    }
  }

  finish(): readonly StreamPart[] {
    const raw = this.reason ?? "";
    const ending = ownValue(endingOf, raw);
    const sources = this.#text.sources();
    const shown: StreamPart[] = sources === "" ? [] : [{ type: "text-delta", text: sources }];
    const isPaused = ending === endings.pause;
    const state = stateOf([...this.#blocks.values()], { isPaused, container: this.#container });
    return [...shown, ...endParts(this.queue, ending, raw, state, this.#detail)];
  }

  #start(index: number, received: object): readonly StreamPart[] {
    const block: OpenBlock = { type: "", ...received };
    this.#blocks.set(index, block);
    switch (block.type) {
      case "tool_use": {
        const call = addCall(this.queue, block);
        this.#callAt.set(index, call);
        return [
          { type: "tool-input", name: call.name, bytes: call.bytes, arguments: call.arguments },
        ];
      }
      case "server_tool_use":
        this.#inputs.set(index, "");
        return [];
      case "text":
        return this.#speak(block.text);
      case "thinking":
        return this.#think(block.thinking);
      default:
        return [];
    }
  }

  #grow(index: number, delta: BlockDelta): readonly StreamPart[] {
    const block = this.#blocks.get(index);
    if (block === undefined) return [];
    switch (delta.type) {
      case "text_delta":
        append(block, "text", delta.text);
        return this.#speak(delta.text);
      case "thinking_delta":
        append(block, "thinking", delta.thinking);
        return this.#think(delta.thinking);
      case "signature_delta":
        append(block, "signature", delta.signature);
        return [];
      case "citations_delta":
        this.#cite(block, delta.citation);
        return [];
      case "input_json_delta":
        return this.#growInput(index, delta.partial_json ?? "");
      default:
        return [];
    }
  }

  /** @throws SyntaxError when the input of a tool of the vendor's is no JSON: it could not be sent back */
  #stop(index: number): readonly StreamPart[] {
    const block = this.#blocks.get(index);
    const json = this.#inputs.get(index);
    if (block === undefined || json === undefined) return [];
    if (json !== "") block.input = JSON.parse(json);
    const { label, subject } = anthropicNote(block.name, block.input);
    return this.queue.pass({ type: "text-delta", text: this.#text.note(label, subject) });
  }

  #growInput(index: number, json: string): readonly StreamPart[] {
    const own = this.#inputs.get(index);
    if (own !== undefined) this.#inputs.set(index, own + json);
    const call = this.#callAt.get(index);
    return call === undefined ? [] : [growCall(call, json)];
  }

  #cite(block: OpenBlock, citation: unknown): void {
    const known = Array.isArray(block.citations) ? block.citations : [];
    block.citations = [...known, citation];
    if (!isObject(citation) || citation.type !== "web_search_result_location") return;
    const { title, url } = citation;
    if (typeof url === "string") {
      this.#text.cite({ title: typeof title === "string" ? title : "", url });
    }
  }

  #speak(text: unknown): readonly StreamPart[] {
    if (typeof text !== "string" || text === "") return [];
    return this.queue.pass({ type: "text-delta", text: this.#text.words(text) });
  }

  #think(text: unknown): readonly StreamPart[] {
    if (typeof text !== "string" || text === "") return [];
    return this.queue.pass({ type: "reasoning-delta", text });
  }

  #tell({ type, message, delta, usage }: AnthropicEvent): readonly StreamPart[] {
    this.#container = message?.container?.id ?? this.#container;
    if (delta && "stop_reason" in delta) {
      this.reason = delta.stop_reason ?? this.reason;
      this.#container = delta.container?.id ?? this.#container;
      this.#detail = delta.stop_details?.explanation || this.#detail;
    }
    this.#usage = mergeUsage(this.#usage, message?.usage ?? usage);
    // The numbers of message_delta are totals; those of message_start alone are not worth a part.
    return type === "message_delta" ? [{ type: "usage", usage: toUsage(this.#usage) }] : [];
  }
}

/** Arguments stream as text; a proxy may send them whole in the first event instead. */
function addCall(queue: PartQueue, { id, name, input }: OpenBlock): PendingCall {
  const json = isObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : "";
  return queue.addCall(
    typeof id === "string" ? id : "",
    typeof name === "string" ? name : "",
    json,
  );
}

function append(block: OpenBlock, key: string, text: string | undefined): void {
  const known = block[key];
  block[key] = (typeof known === "string" ? known : "") + (text ?? "");
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
    ...given({ reasoning: typeof reasoning === "number" ? reasoning : null }),
  };
}
