/** What the decoders of all wire APIs share: they turn raw events into stream parts. */

import type { FinishReason, StreamPart } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject, parseJson } from "../../shared/json.ts";
import { clip, visibleText } from "../../shared/visible.ts";
import { isErrorEvent, StreamedError } from "../failures/error-body.ts";

/** Decodes the events of one response, in order; used once. */
export interface Decoder {
  /** Takes the data of one event. Throws the errors of `readEvent`. */
  push(data: string): readonly StreamPart[];
  /** Takes an answer that was sent as one JSON object instead of a stream. */
  pushWhole(answer: JsonObject): readonly StreamPart[];
  /** The provider's own reason for the end of the response; null until it arrives. More events may follow. */
  rawReason(): string | null;
  /** `over`: the provider has said that nothing follows; `likely`: its reason came alone, and nothing after it. */
  ending(): "open" | "likely" | "over";
  /** After the last event of a complete response: returns what was held back, then `finish` or `error`. */
  finish(): readonly StreamPart[];
  /** After a response that broke off: returns the text that was held back, and never a call. */
  abandon(): readonly StreamPart[];
}

/**
 * Parses the JSON of an event. Its fields are checked where they are used: compatible servers put anything into them,
 * and one odd number must not lose the text of an answer.
 * @throws SyntaxError if it is not a JSON object, StreamedError if it reports a failure
 */
export function readEvent(data: string): JsonObject {
  // Plain text in place of JSON reports a failure (`error: out of memory`).
  if (!/^\s*[[{"]/.test(data)) throw new StreamedError(data);
  const event: unknown = JSON.parse(data);
  if (isErrorEvent(event)) throw new StreamedError(event);
  if (!isObject(event)) throw new SyntaxError("An event of the stream is not an object.");
  return event;
}

/** A number of tokens or a price; null for any other value, and for one so large that sums of it are infinite. */
export function countOf(value: unknown): number | null {
  const isCount = typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
  return isCount ? value : null;
}

/** The index of a call or a block in its response; `otherwise` if there is none. */
export function numberOr<Otherwise>(value: unknown, otherwise: Otherwise): number | Otherwise {
  const place = typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) : value;
  return typeof place === "number" ? place : otherwise;
}

/** A call whose arguments are still arriving. */
export interface PendingCall {
  id: string;
  name: string;
  arguments: string;
  /** Size of the arguments in UTF-8 bytes. */
  bytes: number;
  /** The last piece, if each piece repeated all arguments so far; used if the joined pieces are not valid JSON. */
  whole?: string | null;
}

/**
 * Keeps text and calls in order. No call may be passed on before the response is complete, so everything from the first
 * call on is held.
 */
export class PartQueue {
  readonly calls: PendingCall[] = [];
  readonly #held: (StreamPart | PendingCall)[] = [];

  /** Returns the part if it may be passed on now; holds it once there are calls. */
  pass(part: StreamPart): readonly StreamPart[] {
    if (this.calls.length === 0) return [part];
    this.#held.push(part);
    return [];
  }

  passAll(parts: readonly StreamPart[]): readonly StreamPart[] {
    if (this.calls.length === 0) return parts;
    this.#held.push(...parts);
    return [];
  }

  addCall(id: string, name: string, json = ""): PendingCall {
    const call = { id, name, arguments: json, bytes: Buffer.byteLength(json) };
    this.calls.push(call);
    this.#held.push(call);
    return call;
  }

  /** Handles servers that repeat all arguments in each piece, so that the joined pieces are not valid JSON. */
  readWhole(): void {
    for (const call of this.calls) {
      const { whole = null } = call;
      if (whole !== null && !isWhole(call) && isObject(parseJson(whole))) call.arguments = whole;
    }
  }

  /** Many models send nothing or `null` for a tool without arguments (Groq), and some vendors send no ids. */
  completeCalls(): void {
    this.calls.forEach((call, position) => {
      call.id ||= `call_${position + 1}`;
      if (/^\s*(?:null\s*)?$/.test(call.arguments)) call.arguments = "{}";
    });
  }

  /** Returns everything that was held, in order, with or without the calls. */
  release(options: { readonly calls: boolean }): readonly StreamPart[] {
    return this.#held.flatMap((item): StreamPart[] => {
      if ("type" in item) return [item];
      const { id, name, arguments: json } = item;
      return options.calls ? [{ type: "tool-call", call: { id, name, arguments: json } }] : [];
    });
  }
}

/** Appends to a call's arguments. */
export function growCall(call: PendingCall, json: string): StreamPart {
  call.arguments += json;
  call.bytes += Buffer.byteLength(json);
  return { type: "tool-input", name: call.name, bytes: call.bytes, arguments: call.arguments };
}

/** The arguments are a complete object. */
function isWhole({ arguments: json }: PendingCall): boolean {
  return isObject(parseJson(json));
}

export interface Ending {
  readonly reason: FinishReason;
  /** Whether the calls of a response with this end may be offered. */
  readonly keepsCalls: boolean;
  /** The vendor reports a failure: a sentence about it without the full stop. */
  readonly failed?: string;
}

/** Why a response ended. */
export const endings = {
  complete: { reason: "stop", keepsCalls: true },
  length: { reason: "length", keepsCalls: false },
  context: { reason: "context", keepsCalls: false },
  filter: { reason: "content-filter", keepsCalls: false },
  pause: { reason: "pause", keepsCalls: false },
  failure: { reason: "stop", keepsCalls: false, failed: "The answer broke off at the vendor" },
  unread: {
    reason: "stop",
    keepsCalls: false,
    failed: "The model wrote a call that the vendor could not read",
  },
} as const satisfies Record<string, Ending>;

/** The APIs' words, in lower case. Servers spell them in many ways, and gateways pass on those of other vendors. */
const words: Readonly<Record<keyof typeof endings, string>> = {
  complete:
    "stop eos eos_token end_turn stop_sequence complete completed tool_calls tool_call tool_use function_call",
  length: "length max_tokens max_output_tokens model_length",
  context: "model_context_window_exceeded",
  // Including those of Google, Z.ai (sensitive), Bedrock and Cohere.
  filter:
    "content_filter content_filtered refusal safety sensitive recitation prohibited_content blocklist spii image_safety guardrail_intervened error_toxic",
  pause: "pause_turn",
  failure: "error network_error",
  unread: "malformed_function_call function_call_filter unexpected_tool_call too_many_tool_calls",
};

const endingOfWord = new Map<string, Ending>(
  Object.entries(endings).flatMap(([name, ending]) =>
    words[name as keyof typeof endings].split(" ").map((word) => [word, ending] as const),
  ),
);

/**
 * Finds the ending for a reason. Google adds details to some (`content_filter: PROHIBITED_CONTENT`); gateways write words
 * as their language has them (`tool-calls`, `toolUse`, `FINISH_REASON_STOP`).
 */
export function endingOf(rawReason: string): Ending | undefined {
  const [first = ""] = rawReason.trim().split(":");
  const word = first
    .trim()
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[- ]/g, "_")
    .replace(/^finish_?reason[_.]/, "");
  return endingOfWord.get(word);
}

/** Words of gateways for a reason that they do not know themselves. */
const saysNothing =
  /^(?:other|unknown|unspecified|null|none|(?:finish_?reason_)?(?:unspecified|other))$/i;

/** Unknown reasons that must mean an interruption. */
const troubled = /insufficient|error|fail|abort|cancel|interrupt|time_?out|incomplete|overload/i;

/** An answer ended before a call was complete. */
export const cutCall = "The vendor ended the answer in the middle of a call.";

/**
 * The last parts of a response. Some vendors send `stop` with calls, so the presence of calls decides. An unknown
 * reason may be an interruption: such a response offers no calls, and text without calls is kept with a notice. Some
 * vendors (NVIDIA NIM's GLM, earendil-works/pi#6225) end without any reason: their calls are offered if all of them
 * are complete.
 */
export function endParts(
  queue: PartQueue,
  row: Ending | undefined,
  rawReason: string,
  state: unknown,
  detail?: string,
): readonly StreamPart[] {
  const word = visibleText(clip(rawReason, 60).text);
  const failed =
    row === undefined && troubled.test(rawReason) ? endings.failure.failed : row?.failed;
  if (failed !== undefined) return brokenParts(queue, `${failed} (“${word}”).`);
  const isUnsaid = rawReason === "" || saysNothing.test(rawReason.trim());
  queue.readWhole();
  if (isUnsaid && !queue.calls.every(isWhole)) {
    return brokenParts(queue, cutCall);
  }
  if (row === undefined && !isUnsaid && queue.calls.length > 0) {
    const sentence = `The vendor ended the answer for an unknown reason (“${word}”).`;
    return brokenParts(queue, sentence);
  }
  const ending: Ending = row ?? endings.complete;
  const how = rawReason === "" ? "without saying why" : `with an unknown reason (“${word}”)`;
  const unclearEnd: readonly StreamPart[] =
    row === undefined
      ? [
          {
            type: "notice",
            message: `The vendor ended the answer ${how}, so it may be incomplete.`,
          },
        ]
      : [];
  queue.completeCalls();
  // Arguments beside it may belong to another call; if all are complete, the model is told what its call lacks.
  if (
    ending.keepsCalls &&
    queue.calls.some(({ name }) => name === "") &&
    !queue.calls.every(isWhole)
  ) {
    return brokenParts(queue, "The vendor sent a call without a name.");
  }
  const isCalling = ending.keepsCalls && queue.calls.length > 0;
  const reason = isCalling ? "tool-calls" : ending.reason;
  return [
    ...queue.release({ calls: ending.keepsCalls }),
    ...unclearEnd,
    {
      type: "finish",
      reason,
      rawReason,
      ...given({ detail, state }),
    },
  ];
}

/** The last parts of an unusable response, with what happened as a sentence; `lastParts` adds what was kept. */
export function brokenParts(queue: PartQueue, message: string): readonly StreamPart[] {
  const failure = { kind: "bad-stream", message, happened: message.replace(/\.$/, "") } as const;
  return [...queue.release({ calls: false }), { type: "error", failure }];
}
