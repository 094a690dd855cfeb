/**
 * Decodes the raw events of a messages stream into parts. It does not use the SDK's accumulation, which parses cut
 * arguments leniently, so that half a call would look complete. Pure except for its own buffers.
 */

import type { StreamPart, Usage } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from "../../shared/json.ts";
import { AnswerText, anthropicNote } from "../stream/answer-text.ts";
import {
  countOf,
  type Decoder,
  endingOf,
  endings,
  endParts,
  growCall,
  numberOr,
  PartQueue,
  type PendingCall,
  readEvent,
} from "../stream/decoder.ts";
import { stateOf } from "./anthropic-state.ts";

/** A block as received so far; its `input` is JSON text until it is complete. */
type OpenBlock = { type: string } & Record<string, unknown>;

export function createAnthropicDecoder(): Decoder {
  const response = new AnthropicDecoder();
  return {
    push: (data) => response.push(readEvent(data)),
    pushWhole: (answer) => wholeEvents(answer).flatMap((event) => response.push(event)),
    rawReason: () => response.reason,
    ending: () => response.ending(),
    finish: () => response.finish(),
    abandon: () => response.queue.release({ calls: false }),
  };
}

/** Converts a message that was not streamed to the events of a stream. */
function wholeEvents(answer: JsonObject): readonly JsonObject[] {
  const { content, usage, stop_reason: reason, container } = answer;
  const blocks = objectsOf(content).flatMap((block, index): JsonObject[] => [
    { type: "content_block_start", index, content_block: block },
    { type: "content_block_stop", index },
  ]);
  return [
    { type: "message_start", message: { usage, container } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: textOf(reason) || "end_turn" }, usage },
  ];
}

class AnthropicDecoder {
  readonly queue = new PartQueue();
  reason: string | null = null;
  #isOver = false;
  /** More of the answer came after a reason. */
  #isEarly = false;
  readonly #text = new AnswerText();
  readonly #blocks = new Map<number, OpenBlock>();
  readonly #callAt = new Map<number, PendingCall>();
  /** Calls that started with their whole input, until its first delta. */
  readonly #whole = new Set<PendingCall>();
  /** The text in a block's start, until the first delta: some servers repeat it there (cline/cline#9215). */
  readonly #begun = new Map<number, string>();
  /** Inputs of the vendor's own tools, as JSON text until they are complete. */
  readonly #inputs = new Map<number, string>();
  #usage: JsonObject = {};
  #container: string | null = null;
  #detail: string | undefined;

  push(event: JsonObject): readonly StreamPart[] {
    const { type, content_block: block, delta } = event;
    const index = numberOr(event.index, -1);
    this.#isEarly ||= this.reason !== null && /^content_block/.test(textOf(type));
    switch (type) {
      case "content_block_start":
        return isObject(block) ? this.#start(index, block) : [];
      case "content_block_delta":
        return this.#grow(index, objectOf(delta));
      case "content_block_stop":
        return this.#stop(index);
      case "message_start":
      case "message_delta":
        return this.#messageEvent(event);
      case "message_stop":
        this.#isOver = true;
        return [];
      default:
        return [];
    }
  }

  ending(): ReturnType<Decoder["ending"]> {
    if (this.#isOver) return "over";
    return this.reason === null || this.#isEarly ? "open" : "likely";
  }

  finish(): readonly StreamPart[] {
    const raw = this.reason ?? "";
    const ending = endingOf(raw);
    const sources = this.#text.sources();
    const shown: StreamPart[] = sources === "" ? [] : [{ type: "text-delta", text: sources }];
    const isPaused = ending === endings.pause;
    const state = stateOf([...this.#blocks.values()], { isPaused, container: this.#container });
    return [...shown, ...endParts(this.queue, ending, raw, state, this.#detail)];
  }

  #start(index: number, received: JsonObject): readonly StreamPart[] {
    // From here on the input is charged, even if the answer is stopped.
    const paid = this.#blocks.size === 0 ? this.#usageParts() : [];
    return [...paid, ...this.#open(index, received)];
  }

  #usageParts(): readonly StreamPart[] {
    const isKnown = Object.keys(this.#usage).length > 0;
    return isKnown ? [{ type: "usage", usage: toUsage(this.#usage) }] : [];
  }

  #open(index: number, received: JsonObject): readonly StreamPart[] {
    const block: OpenBlock = { ...received, type: textOf(received.type) };
    this.#blocks.set(index, block);
    switch (block.type) {
      case "tool_use": {
        const call = addCall(this.queue, block);
        this.#callAt.set(index, call);
        if (call.arguments !== "") this.#whole.add(call);
        return [
          { type: "tool-input", name: call.name, bytes: call.bytes, arguments: call.arguments },
        ];
      }
      case "server_tool_use":
        this.#inputs.set(index, "");
        return [];
      case "text":
        this.#begun.set(index, textOf(block.text));
        return this.#speak(block.text);
      case "thinking":
        this.#begun.set(index, textOf(block.thinking));
        return this.#think(block.thinking);
      default:
        return [];
    }
  }

  /** A delta without the text that the block started with. */
  #newIn(index: number, piece: unknown): string {
    const text = textOf(piece);
    const begun = this.#begun.get(index) ?? "";
    if (text !== "") this.#begun.delete(index);
    return text.startsWith(begun) ? text.slice(begun.length) : text;
  }

  #grow(index: number, delta: JsonObject): readonly StreamPart[] {
    const block = this.#blocks.get(index) ?? unannounced(delta);
    if (block === null) return [];
    this.#blocks.set(index, block);
    switch (delta.type) {
      case "text_delta": {
        const text = this.#newIn(index, delta.text);
        append(block, "text", text);
        return this.#speak(text);
      }
      case "thinking_delta": {
        const text = this.#newIn(index, delta.thinking);
        append(block, "thinking", text);
        return this.#think(text);
      }
      case "signature_delta":
        append(block, "signature", delta.signature);
        return [];
      case "citations_delta":
        this.#cite(block, delta.citation);
        return [];
      case "input_json_delta":
        return this.#growInput(index, textOf(delta.partial_json));
      default:
        return [];
    }
  }

  /** @throws SyntaxError if the input of one of the vendor's tools is not JSON, since it could not be sent back */
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
    if (call === undefined) return [];
    // The deltas bring the whole input again, with other white space, so they replace the one from the start.
    if (json !== "" && this.#whole.delete(call)) Object.assign(call, { arguments: "", bytes: 0 });
    return [growCall(call, json)];
  }

  #cite(block: OpenBlock, citation: unknown): void {
    if (Array.isArray(block.citations)) block.citations.push(citation);
    else block.citations = [citation];
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

  #messageEvent({ type, message, delta, usage }: JsonObject): readonly StreamPart[] {
    const head = objectOf(message);
    const { stop_reason: reason, stop_details: details, container } = objectOf(delta);
    this.reason = textOf(reason) || this.reason;
    this.#detail = textOf(objectOf(details).explanation) || this.#detail;
    const named = textOf(objectOf(container).id) || textOf(objectOf(head.container).id);
    this.#container = named || this.#container;
    this.#usage = mergeUsage(this.#usage, objectOf(head.usage ?? usage));
    // The numbers in message_delta are totals.
    return type === "message_delta" ? [{ type: "usage", usage: toUsage(this.#usage) }] : [];
  }
}

/** Arguments usually stream as text; a proxy may send them whole in the first event instead. */
function addCall(queue: PartQueue, { id, name, input }: OpenBlock): PendingCall {
  const isWhole = isObject(input) && Object.keys(input).length > 0;
  const json = isWhole ? JSON.stringify(input) : textOf(input);
  return queue.addCall(textOf(id), textOf(name), json);
}

/** Some proxies omit the start of a block, or send its deltas with another index. */
function unannounced({ type }: JsonObject): OpenBlock | null {
  if (type === "text_delta") return { type: "text" };
  return type === "thinking_delta" ? { type: "thinking" } : null;
}

function append(block: OpenBlock, key: string, text: unknown): void {
  block[key] = textOf(block[key]) + textOf(text);
}

/** Later numbers replace earlier ones; the API omits unchanged ones or sends null. */
function mergeUsage(known: JsonObject, next: JsonObject): JsonObject {
  const present = Object.entries(next).filter(([, value]) => value !== null);
  return { ...known, ...Object.fromEntries(present) };
}

/** This API's `input_tokens` exclude cached tokens; our `input` includes them. */
function toUsage(usage: JsonObject): Usage {
  const cacheRead = countOf(usage.cache_read_input_tokens) ?? 0;
  const cacheWrite = countOf(usage.cache_creation_input_tokens) ?? 0;
  const details = objectOf(usage.output_tokens_details);
  return {
    input: (countOf(usage.input_tokens) ?? 0) + cacheRead + cacheWrite,
    output: countOf(usage.output_tokens) ?? 0,
    cacheRead,
    cacheWrite,
    ...given({ reasoning: countOf(details.thinking_tokens) }),
  };
}
