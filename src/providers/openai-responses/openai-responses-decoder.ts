/**
 * Decodes the typed events of a Responses stream into parts. A call is only taken from its finished item; the deltas of
 * its arguments are just counted. Pure except for its own buffers.
 */

import type { StreamPart, Usage } from "../../conversation/ports.ts";
import {
  isObject,
  type JsonObject,
  objectOf,
  objectsOf,
  parseJson,
  textOf,
} from "../../shared/json.ts";
import { firstPlace } from "../../shared/occurrences.ts";
import { StreamedError } from "../failures/error-body.ts";
import { openaiUsage } from "../openai-chat/openai-state.ts";
import { AnswerText, responsesNote } from "../stream/answer-text.ts";
import {
  brokenParts,
  cutCall,
  type Decoder,
  type Ending,
  endingOf,
  endings,
  endParts,
  growCall,
  numberOr,
  PartQueue,
  type PendingCall,
  readEvent,
} from "../stream/decoder.ts";
import { isKeptItem, type KeptItem, responsesState } from "./openai-responses-request.ts";

/** For `completed`, or for `incomplete: ` and why; undefined: unknown. */
function responseEnding(raw: string): Ending | undefined {
  if (raw === "completed") return endings.complete;
  const why = /^incomplete: (.+)$/s.exec(raw)?.[1] ?? "";
  const ending = endingOf(why);
  return ending === endings.complete ? undefined : ending;
}

/** `keepsThoughts`: whether thoughts as text are part of the state. */
export function createResponsesDecoder({ keepsThoughts }: { keepsThoughts: boolean }): Decoder {
  const response = new ResponsesDecoder(keepsThoughts);
  return {
    push: (data) => response.push(readEvent(data)),
    pushWhole: (answer) => response.push({ type: "response.completed", response: answer }),
    rawReason: () => response.reason,
    // A single event brings the reason and the end.
    ending: () => (response.reason === null ? "open" : "over"),
    finish: () => response.finish(),
    abandon: () => response.queue.release({ calls: false }),
  };
}

class ResponsesDecoder {
  readonly queue = new PartQueue();
  reason: string | null = null;
  readonly #keepsThoughts: boolean;
  readonly #text = new AnswerText();
  readonly #items = new Map<number, KeptItem>();
  readonly #callAt = new Map<number, PendingCall>();
  readonly #callOfId = new Map<string, PendingCall>();
  /** By the id of the output item, which is not the id of its call. */
  readonly #callOfItem = new Map<string, PendingCall>();
  readonly #finishedCalls = new Set<PendingCall>();
  /** Output items whose text or thoughts have streamed; -1 for an item without an index. */
  readonly #heard = new Set<number>();
  /** Everything that was passed on. */
  readonly #all = { text: "", thoughts: "" };
  /** The item of the last text: two messages of one response become two paragraphs. */
  #speaker: number | null = null;

  constructor(keepsThoughts: boolean) {
    this.#keepsThoughts = keepsThoughts;
  }

  push(event: JsonObject): readonly StreamPart[] {
    const index = numberOr(event.output_index, -1);
    const delta = textOf(event.delta);
    const item = isKeptItem(event.item) ? event.item : null;
    switch (event.type) {
      case "response.output_item.added":
        return item?.type === "function_call" ? this.#openCall(index, item) : [];
      case "response.output_item.done":
        return item === null ? [] : this.#finishItem(index, item);
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#speak(index, delta);
      case "response.reasoning_summary_part.added":
        return numberOr(event.summary_index, 0) > 0 ? this.#think(index, "\n\n") : [];
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#think(index, delta);
      case "response.output_text.done":
        return this.#speakUnheard(index, textOf(event.text));
      case "response.function_call_arguments.delta": {
        const call = this.#callAt.get(index);
        return call === undefined ? [] : [growCall(call, delta)];
      }
      case "response.function_call_arguments.done": {
        const call = this.#callOfItem.get(textOf(event.item_id)) ?? this.#callAt.get(index);
        if (call !== undefined) call.arguments = textOf(event.arguments) || call.arguments;
        return [];
      }
      case "response.completed":
        return this.#end("completed", objectOf(event.response));
      case "response.incomplete":
        return this.#end("incomplete", objectOf(event.response));
      case "response.failed":
        throw new StreamedError({
          error: objectOf(event.response).error ?? "The response failed.",
        });
      default:
        return [];
    }
  }

  finish(): readonly StreamPart[] {
    const raw = this.reason ?? "";
    const ending = responseEnding(raw);
    if (ending?.keepsCalls && this.queue.calls.some((call) => !this.#finishedCalls.has(call))) {
      return brokenParts(this.queue, cutCall);
    }
    const items = [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item);
    const sources = this.#text.sources();
    const shown: StreamPart[] = sources === "" ? [] : [{ type: "text-delta", text: sources }];
    const state = responsesState(items, this.#keepsThoughts);
    return [...shown, ...endParts(this.queue, ending, raw, state)];
  }

  #speak(index: number, delta: string): readonly StreamPart[] {
    if (delta === "") return [];
    this.#heard.add(index);
    if (this.#speaker !== index) this.#text.breakParagraph();
    this.#speaker = index;
    this.#all.text += delta;
    return this.queue.pass({ type: "text-delta", text: this.#text.words(delta) });
  }

  #think(index: number, text: string): readonly StreamPart[] {
    if (text === "") return [];
    this.#heard.add(index);
    this.#all.thoughts += text;
    return this.queue.pass({ type: "reasoning-delta", text });
  }

  /** Some servers send text or thoughts only when they are complete. */
  #speakUnheard(index: number, text: string): readonly StreamPart[] {
    if (this.#isHeard(index) || firstPlace(this.#all.text, text) !== null) return [];
    return this.#speak(index, text);
  }

  #thinkUnheard(index: number, text: string): readonly StreamPart[] {
    if (this.#isHeard(index) || firstPlace(this.#all.thoughts, text) !== null) return [];
    return this.#think(index, text);
  }

  #isHeard(index: number): boolean {
    return this.#heard.has(index) || this.#heard.has(-1);
  }

  #openCall(index: number, item: KeptItem): readonly StreamPart[] {
    const call = this.queue.addCall(textOf(item.call_id), textOf(item.name));
    this.#callAt.set(index, call);
    this.#callOfId.set(call.id, call);
    this.#callOfItem.set(textOf(item.id), call);
    return [{ type: "tool-input", name: call.name, bytes: call.bytes, arguments: call.arguments }];
  }

  #finishItem(index: number, item: KeptItem): readonly StreamPart[] {
    this.#items.set(index, item);
    if (item.type === "function_call") return this.#finishCall(index, item);
    if (item.type === "reasoning") {
      const thoughts = wordsOf(item.summary, "\n\n") || wordsOf(item.content, "\n\n");
      return this.#thinkUnheard(index, thoughts);
    }
    if (item.type === "message") {
      const parts = this.#speakUnheard(index, wordsOf(item.content, ""));
      this.#cite(item);
      return parts;
    }
    const note = responsesNote(item);
    if (note === null) return [];
    return this.queue.pass({ type: "text-delta", text: this.#text.note(note.label, note.subject) });
  }

  /** Some servers send a call only as a finished item, without its start. */
  #finishCall(index: number, item: KeptItem): readonly StreamPart[] {
    const known = this.#callOf(index, textOf(item.call_id));
    const parts = known === undefined ? this.#openCall(index, item) : [];
    const call = known ?? this.#callAt.get(index);
    if (call === undefined || item.status === "incomplete") return parts;
    call.id = textOf(item.call_id);
    this.#callOfId.set(call.id, call);
    call.name = textOf(item.name);
    const json = isObject(item.arguments) ? JSON.stringify(item.arguments) : textOf(item.arguments);
    // LM Studio finishes an item without the arguments that it sent before (earendil-works/pi#917).
    if (!isEmptyInput(json) || !isObject(parseJson(call.arguments))) call.arguments = json;
    this.#finishedCalls.add(call);
    return parts;
  }

  /** Finds the call by its id, for servers that send no index or the same one for all calls. */
  #callOf(index: number, id: string): PendingCall | undefined {
    const placed = this.#callAt.get(index);
    // Some servers use one id for all calls.
    if (placed?.id === id && !this.#finishedCalls.has(placed)) return placed;
    const named = id === "" ? undefined : this.#callOfId.get(id);
    if (named !== undefined || placed === undefined) return named ?? placed;
    return this.#finishedCalls.has(placed) ? undefined : placed;
  }

  #cite({ content }: KeptItem): void {
    for (const annotation of objectsOf(content).flatMap((part) => objectsOf(part.annotations))) {
      if (annotation.type !== "url_citation") continue;
      this.#text.cite({ title: textOf(annotation.title), url: textOf(annotation.url) });
    }
  }

  #end(otherwise: string, response: JsonObject): readonly StreamPart[] {
    const { status, incomplete_details: details, output, usage } = response;
    const items: readonly unknown[] = Array.isArray(output) ? output : [];
    const parts = items.flatMap((item, index) => this.#catchUp(index, item));
    const why = textOf(objectOf(details).reason);
    const word = textOf(status) || otherwise;
    this.reason = why === "" ? word : `${word}: ${why}`;
    if (isObject(usage)) parts.push({ type: "usage", usage: toUsage(usage) });
    return parts;
  }

  /** Some servers send text, thoughts or calls only in the complete response at the end. */
  #catchUp(index: number, item: unknown): readonly StreamPart[] {
    if (!isKeptItem(item)) return [];
    const isKnown = this.#items.has(index) || (this.#items.has(-1) && this.#isKnownCall(item));
    return isKnown ? [] : this.#finishItem(index, item);
  }

  #isKnownCall({ type, call_id: id }: KeptItem): boolean {
    return type !== "function_call" || (typeof id === "string" && this.#callOfId.has(id));
  }
}

function isEmptyInput(json: string): boolean {
  return /^\s*(?:\{\s*\})?\s*$/.test(json);
}

/** The texts of a message's content or of a summary's parts, joined. */
function wordsOf(parts: unknown, between: string): string {
  return objectsOf(parts)
    .map(({ text, refusal }) => textOf(text) || textOf(refusal))
    .filter((text) => text !== "")
    .join(between);
}

function toUsage(usage: JsonObject): Usage {
  return openaiUsage({
    input: usage.input_tokens,
    output: usage.output_tokens,
    inputDetails: usage.input_tokens_details,
    outputDetails: usage.output_tokens_details,
    total: usage.total_tokens,
  });
}
