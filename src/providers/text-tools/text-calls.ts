/**
 * Turns calls in the text of a stream into parts. Text is passed on as it arrives, except for what may begin a call.
 * From the first call on everything is held until the response ends, as with native calls, because only a complete
 * response offers calls.
 */

import type { Failure, Message, StreamPart } from "../../conversation/ports.ts";
import type { CallNote } from "../../conversation/proposed-call.ts";
import { unreadableCall } from "../../conversation/unreadable-call.ts";
import { given } from "../../shared/given.ts";
import { notLoaded } from "../failures/not-loaded.ts";
import type { Detector, DetectorEvent, DetectorFinish, DetectorOptions } from "./detection.ts";

export interface TextCallOptions extends DetectorOptions {
  /** The request's messages: new calls get ids that do not occur in them. */
  readonly messages: readonly Message[];
}

/** Streams the parts of one response, the last of which is `finish` or `error`. Never throws. */
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
 * Loads the detector while the request is under way. Parts that arrive meanwhile are read, since they would be lost if
 * the connection broke.
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

/** Parts that do not belong to the answer's text. */
function passes({ type }: StreamPart): boolean {
  return type === "usage" || type === "notice" || type === "tool-input";
}

type FoundEvent = Exclude<DetectorEvent, { type: "text" | "pending" }>;

class TextCallReader {
  readonly #options: TextCallOptions;
  /** Null once native calls arrived: from then on, text is just text. */
  #detector: Detector | null;
  #held: (StreamPart | FoundEvent)[] = [];
  /** The response's thoughts as long as it has nothing else; null afterwards. */
  #thoughts: string | null = "";
  /** The pieces of text that hold no call. */
  readonly #texts: string[] = [];
  readonly #createDetector: (options: DetectorOptions) => Detector;

  constructor(createDetector: (options: DetectorOptions) => Detector, options: TextCallOptions) {
    this.#createDetector = createDetector;
    this.#detector = createDetector(options);
    this.#options = options;
  }

  /** The model was not asked for calls as text, since it has native tools. */
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
      if (event.type === "text") {
        this.#texts.push(event.text);
        passed.push(...this.#pass({ type: "text-delta", text: event.text }));
      } else if (event.type !== "pending") this.#hold(event);
    }
    return passed;
  }

  #hold(event: FoundEvent): void {
    // The rest of an oversized block is only needed if it may still be shown as text.
    const isRest = event.type === "malformed" && event.continued === true;
    if (!isRest || event.salvaged === true) this.#held.push(event);
  }

  /** After a native call, text is no longer searched for calls, unless the model was asked to write them as text. */
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
    // The provider's state does not fit calls that were in the text.
    return [...passed, ...released, found ? { ...plain, reason: "tool-calls" } : part];
  }

  /** Thoughts that nothing follows: all of the response, or what follows a tag in its text that was never closed. */
  #lastThoughts(): string | null {
    const start = this.#detector?.openReasoning() ?? null;
    return start === null ? this.#thoughts : this.#texts.join("").slice(start);
  }

  /**
   * Finds calls behind thoughts: some models write calls before they end thinking, or never end it
   * (vllm-project/vllm#39056), and a tag that an answer mentions looks like thoughts. Only calls at the end count, and the
   * user has to review them.
   */
  #callsBehindThoughts(): readonly FoundEvent[] {
    const thoughts = this.#lastThoughts();
    if (thoughts === null || this.#options.tools.length === 0) return [];
    const detector = this.#createDetector(this.#options);
    const events = [...detector.push(thoughts), ...detector.end("stop")].filter(
      ({ type }) => type !== "pending",
    );
    const isCall = (event: DetectorEvent) => event.type === "tool-call";
    const isBlank = (event: DetectorEvent) => event.type === "text" && event.text.trim() === "";
    const before = events.findLastIndex((event) => !isCall(event) && !isBlank(event));
    return events
      .slice(before + 1)
      .flatMap((event) => (event.type === "tool-call" ? [{ ...event, salvaged: true }] : []));
  }

  /** Ends without offering calls. Text in the requested form is dropped, as native calls are; other text is shown. */
  #breakOff(finish: DetectorFinish): readonly StreamPart[] {
    const last = this.#detector?.end(finish) ?? [];
    this.#detector = null;
    // Everything after the start of a block belongs to it, wherever the block seemed to end.
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

/** Whether it was found in the text; native calls have no raw text. */
function isFound(item: StreamPart | FoundEvent): item is FoundEvent {
  return "raw" in item;
}

function takenIds(messages: readonly Message[]): ReadonlySet<string> {
  const parts = messages.flatMap((message) =>
    message.role === "assistant" ? message.content : [],
  );
  return new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : [])));
}
