/**
 * Calls in the text of a stream become parts of their own. Text flows on as it comes, but for what may be the
 * beginning of a call; from the first call on everything waits for the end of the response, as it does with calls
 * by the API, because only a complete response offers any.
 */

import type { Failure, Message, StreamPart } from "../../conversation/ports.ts";
import type { CallNote } from "../../conversation/proposed-call.ts";
import { unreadableCall } from "../../conversation/unreadable-call.ts";
import { given } from "../../shared/given.ts";
import { notLoaded } from "../failures/not-loaded.ts";
import type { Detector, DetectorEvent, DetectorFinish, DetectorOptions } from "./detection.ts";

export interface TextCallOptions extends DetectorOptions {
  /** Of the request: calls get ids that are not in it. */
  readonly messages: readonly Message[];
}

/** The parts of one response, whose last is `finish` or `error`. Never throws. */
export async function* withTextCalls(
  parts: AsyncIterable<StreamPart>,
  options: TextCallOptions,
): AsyncGenerator<StreamPart> {
  const stream = parts[Symbol.asyncIterator]();
  try {
    const { early, next, reader } = await readWhileLoading(stream, options);
    if ("kind" in reader) return yield { type: "error", failure: reader };
    for (const part of early) yield* passes(part) ? [part] : reader.push(part);
    for (let read = await next; read.done !== true; read = await stream.next()) {
      yield* passes(read.value) ? [read.value] : reader.push(read.value);
    }
  } finally {
    await stream.return?.();
  }
}

/**
 * Loads the detector while the request is on its way. What arrives meanwhile is read: left in the connection, it
 * would be lost with it.
 */
async function readWhileLoading(stream: AsyncIterator<StreamPart>, options: TextCallOptions) {
  const loading = loadReader(options);
  const early: StreamPart[] = [];
  let next = stream.next();
  for (;;) {
    const first = await Promise.race([loading, next]);
    if (!("value" in first) || first.done === true) return { early, next, reader: await loading };
    early.push(first.value);
    next = stream.next();
  }
}

async function loadReader(options: TextCallOptions): Promise<TextCallReader | Failure> {
  try {
    const { createDetector } = await import("./detector.ts");
    return new TextCallReader(createDetector, options);
  } catch (error) {
    return notLoaded("that finds tool calls in text", error);
  }
}

/** What is no part of the answer itself. */
function passes({ type }: StreamPart): boolean {
  return type === "usage" || type === "notice" || type === "tool-input";
}

type FoundEvent = Exclude<DetectorEvent, { type: "text" | "pending" }>;

class TextCallReader {
  readonly #options: TextCallOptions;
  /** Null once the text counts as text: calls came by the API. */
  #detector: Detector | null;
  #held: (StreamPart | FoundEvent)[] = [];
  /** As long as there is nothing else; null: there was. */
  #thoughts: string | null = "";
  readonly #createDetector: (options: DetectorOptions) => Detector;

  constructor(createDetector: (options: DetectorOptions) => Detector, options: TextCallOptions) {
    this.#createDetector = createDetector;
    this.#detector = createDetector(options);
    this.#options = options;
  }

  /** Nobody asked for calls as text: they come by the API. */
  get #isNative(): boolean {
    return this.#options.asked.length === 0;
  }

  push(part: StreamPart): readonly StreamPart[] {
    switch (part.type) {
      case "reasoning-delta":
        if (this.#thoughts !== null) this.#thoughts += part.text;
        return this.#pass(part);
      case "text-delta":
        if (part.text.trim() !== "") this.#thoughts = null;
        return this.#detector === null ? [part] : this.#take(this.#detector.push(part.text));
      case "tool-call":
        this.#thoughts = null;
        return this.#nativeCall(part);
      case "finish":
        return this.#finish(part);
      case "error":
        return [...this.#breakOff(part.failure.kind === "aborted" ? "abort" : "error"), part];
      default:
        return this.#pass(part);
    }
  }

  #pass(part: StreamPart): readonly StreamPart[] {
    if (this.#held.length === 0) return [part];
    this.#held.push(part);
    return [];
  }

  #take(events: readonly DetectorEvent[]): StreamPart[] {
    const passed: StreamPart[] = [];
    for (const event of events) {
      if (event.type === "text")
        passed.push(...this.#pass({ type: "text-delta", text: event.text }));
      else if (event.type !== "pending") this.#hold(event);
    }
    return passed;
  }

  #hold(event: FoundEvent): void {
    // The rest of a block that is too large is needed only where it may still be shown as text.
    const isRest = event.type === "malformed" && event.continued === true;
    if (!isRest || event.salvaged === true) this.#held.push(event);
  }

  /** Where the API gave a call, nothing else of a response that nobody asked for is one. */
  #nativeCall(part: StreamPart): readonly StreamPart[] {
    if (!this.#isNative || this.#detector === null) return this.#pass(part);
    return [...this.#breakOff("abort"), part];
  }

  #finish(part: Extract<StreamPart, { type: "finish" }>): readonly StreamPart[] {
    const isComplete = part.reason === "stop" || part.reason === "tool-calls";
    if (!isComplete)
      return [...this.#breakOff(part.reason === "length" ? "length" : "abort"), part];
    const passed = this.#take(this.#detector?.end("stop") ?? []);
    this.#held.push(...this.#callsBehindThoughts());
    const found = this.#held.some((item) => isFound(item) || item.type === "tool-call");
    const released = this.#releaseCalls();
    const { state: _, ...plain } = part;
    // What the API wants back says nothing of calls that stood in the text.
    return [...passed, ...released, found ? { ...plain, reason: "tool-calls" } : part];
  }

  /**
   * Of a response that is thoughts alone: some models write their calls before they end to think, or never end to
   * (vllm-project/vllm#39056). Only what thoughts end with is one; a person has to look at it.
   */
  #callsBehindThoughts(): readonly FoundEvent[] {
    if (this.#thoughts === null || this.#options.tools.length === 0) return [];
    const detector = this.#createDetector(this.#options);
    const events = [...detector.push(this.#thoughts), ...detector.end("stop")].filter(
      ({ type }) => type !== "pending",
    );
    const isCall = (event: DetectorEvent) => event.type === "tool-call";
    const isBlank = (event: DetectorEvent) => event.type === "text" && event.text.trim() === "";
    const before = events.findLastIndex((event) => !isCall(event) && !isBlank(event));
    return events
      .slice(before + 1)
      .flatMap((event) => (event.type === "tool-call" ? [{ ...event, salvaged: true }] : []));
  }

  /** No call is offered. What was asked for as a call is left out, as a call by the API is; all else is text. */
  #breakOff(finish: DetectorFinish): readonly StreamPart[] {
    const last = this.#detector?.end(finish) ?? [];
    this.#detector = null;
    // What follows the beginning of a block belongs to it, wherever its end was thought to be.
    const block = last.findIndex((event) => event.type === "malformed" && !event.salvaged);
    const passed = this.#take(block < 0 ? last : last.slice(0, block));
    const held = this.#held;
    this.#held = [];
    const released = held.flatMap((item): StreamPart[] => {
      if (!isFound(item)) return item.type === "tool-call" ? [] : [item];
      return item.salvaged ? [{ type: "text-delta", text: item.raw }] : [];
    });
    return [...passed, ...released];
  }

  #releaseCalls(): readonly StreamPart[] {
    const held = this.#held;
    this.#held = [];
    const taken = takenIds(this.#options.messages);
    let number = 0;
    const nextId = () => {
      do number += 1;
      while (taken.has(`call_${number}`));
      return `call_${number}`;
    };
    return held.flatMap((item): readonly StreamPart[] => {
      if (!isFound(item)) return [item];
      if (item.type === "tool-call") return callParts(item, nextId());
      return item.continued === true
        ? []
        : [{ type: "tool-call", call: unreadableCall(nextId(), item.raw, item.reason) }];
    });
  }
}

function callParts(
  { call, thoughts, repaired, salvaged }: Extract<FoundEvent, { type: "tool-call" }>,
  id: string,
): readonly StreamPart[] {
  const notes: CallNote[] = [
    ...(salvaged === true ? (["salvaged"] as const) : []),
    ...(repaired === true ? (["repaired"] as const) : []),
  ];
  const proposed = { id, ...call, ...given({ notes: notes.length > 0 ? notes : null }) };
  return [
    ...(thoughts === undefined ? [] : [{ type: "reasoning-delta", text: thoughts } as const]),
    { type: "tool-call", call: proposed },
  ];
}

/** Found in the text; a call of the API has no raw text. */
function isFound(item: StreamPart | FoundEvent): item is FoundEvent {
  return "raw" in item;
}

function takenIds(messages: readonly Message[]): ReadonlySet<string> {
  const parts = messages.flatMap((message) =>
    message.role === "assistant" ? message.content : [],
  );
  return new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : [])));
}
