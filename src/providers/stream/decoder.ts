/** What the decoders of all wire APIs share: raw events in, parts out. */

import type { FinishReason, StreamPart } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject, parseJson } from "../../shared/json.ts";
import { clip, visibleText } from "../../shared/visible.ts";
import { isErrorEvent, StreamedError } from "../failures/error-body.ts";

/** Turns the events of one response into parts; fed in order, used once. */
export interface Decoder {
  /** Takes the data of one event. Throws what `readEvent` throws. */
  push(data: string): readonly StreamPart[];
  /** Takes an answer that came as one JSON object in place of a stream, as the API gives it without streaming. */
  pushWhole(answer: JsonObject): readonly StreamPart[];
  /** The provider's own word for why the response ended; null until it said so. More may follow. */
  rawReason(): string | null;
  /** Whether the provider said that nothing follows. */
  isOver(): boolean;
  /** After the last event of a response that ended: what was held back, then `finish` or `error`. */
  finish(): readonly StreamPart[];
  /** After a response that broke off: text that was held back. Never a call. */
  abandon(): readonly StreamPart[];
}

/**
 * The JSON of an event. What its fields hold is for whoever reads them to look at: compatible servers fill them with
 * anything, and one odd number must not cost the text of an answer.
 * @throws SyntaxError when it is no JSON object, StreamedError when it is a failure
 */
export function readEvent(data: string): JsonObject {
  // Words in place of JSON are about a failure (`error: out of memory`).
  if (!/^\s*[[{"]/.test(data)) throw new StreamedError(data);
  const event: unknown = JSON.parse(data);
  if (isErrorEvent(event)) throw new StreamedError(event);
  if (!isObject(event)) throw new SyntaxError("An event of the stream is not an object.");
  return event;
}

/** A number of tokens, or a price; null for what is none. */
export function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** The place of a call or a block in its response; `otherwise` where none is told. */
export function placeOf<Otherwise>(value: unknown, otherwise: Otherwise): number | Otherwise {
  return typeof value === "number" ? value : otherwise;
}

/** A call whose arguments are still arriving. */
export interface PendingCall {
  id: string;
  name: string;
  arguments: string;
  /** Of the arguments, in UTF-8. */
  bytes: number;
  /** The arguments, if each piece said all of them so far; they are so when the pieces in a row are no JSON. */
  whole?: string | null;
}

/**
 * Keeps text and calls in order although no call may be given out before the response is known to be complete:
 * from the first call on, everything waits.
 */
export class PartQueue {
  readonly calls: PendingCall[] = [];
  readonly #held: (StreamPart | PendingCall)[] = [];

  /** What of this may go out now: the part itself, or nothing while calls wait. */
  pass(part: StreamPart): readonly StreamPart[] {
    if (this.calls.length === 0) return [part];
    this.#held.push(part);
    return [];
  }

  addCall(id: string, name: string, json = ""): PendingCall {
    const call = { id, name, arguments: json, bytes: Buffer.byteLength(json) };
    this.calls.push(call);
    this.#held.push(call);
    return call;
  }

  /** Arguments of which each piece said all so far, and which are no JSON in a row. */
  readWhole(): void {
    for (const call of this.calls) {
      const { whole = null } = call;
      if (whole !== null && !isWhole(call) && isObject(parseJson(whole))) call.arguments = whole;
    }
  }

  /** Many models send nothing or `null` as the arguments of a tool that takes none (Groq), some vendors no ids. */
  completeCalls(): void {
    this.calls.forEach((call, position) => {
      call.id ||= `call_${position + 1}`;
      if (/^\s*(?:null\s*)?$/.test(call.arguments)) call.arguments = "{}";
    });
  }

  /** Everything that waited, in order; without the calls when they may not be offered. */
  release(options: { readonly calls: boolean }): readonly StreamPart[] {
    return this.#held.flatMap((item): StreamPart[] => {
      if ("type" in item) return [item];
      const { id, name, arguments: json } = item;
      return options.calls ? [{ type: "tool-call", call: { id, name, arguments: json } }] : [];
    });
  }
}

/** More of a call's arguments arrived. */
export function growCall(call: PendingCall, json: string): StreamPart {
  call.arguments += json;
  call.bytes += Buffer.byteLength(json);
  return { type: "tool-input", name: call.name, bytes: call.bytes, arguments: call.arguments };
}

/** The arguments are an object from beginning to end. */
function isWhole({ arguments: json }: PendingCall): boolean {
  return isObject(parseJson(json));
}

export interface Ending {
  readonly reason: FinishReason;
  /** Whether calls of a response that ended so may be offered. */
  readonly keepsCalls: boolean;
  /** The vendor says that it failed: a sentence about it without its full stop. */
  readonly failed?: string;
}

/** Why a response ended, by the words of the APIs. */
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

/** In small letters. Servers write them in many ways, and gateways pass on those of the vendor behind them. */
const words: Readonly<Record<keyof typeof endings, string>> = {
  complete:
    "stop eos eos_token end_turn stop_sequence complete completed tool_calls tool_call tool_use function_call",
  length: "length max_tokens model_length",
  context: "model_context_window_exceeded",
  // Google's, Z.ai's (sensitive), Bedrock's and Cohere's are among them.
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

/** Why a response ended, by its word; Google puts more behind one (`content_filter: PROHIBITED_CONTENT`). */
export function endingOf(rawReason: string): Ending | undefined {
  const [word = ""] = rawReason.toLowerCase().split(":");
  return endingOfWord.get(word.trim());
}

/** Words for an end that is an interruption, whatever the vendor calls it. */
const troubled = /insufficient|error|fail|abort|cancel|interrupt|time_?out|incomplete|overload/i;

/**
 * The last parts of a response. Some vendors say `stop` with calls, so their presence decides. An end that is not
 * known may be an interruption: of such a response no call is offered, and text alone is kept with a notice. Some
 * vendors (NVIDIA NIM's GLM, earendil-works/pi#6225) say that it is over and never why: their calls are offered when
 * all of them are whole.
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
  const isUnsaid = rawReason === "";
  queue.readWhole();
  if (isUnsaid && !queue.calls.every(isWhole)) {
    return brokenParts(queue, "The provider ended the answer in the middle of a call.");
  }
  if (row === undefined && !isUnsaid && queue.calls.length > 0) {
    const sentence = `The provider ended the answer for a reason that is not known here (“${word}”).`;
    return brokenParts(queue, sentence);
  }
  const ending: Ending = row ?? endings.complete;
  const how = isUnsaid ? "without saying why" : `with a word that is not known here (“${word}”)`;
  const doubt: readonly StreamPart[] =
    row === undefined
      ? [{ type: "notice", message: `The vendor ended the answer ${how}, so it may be cut.` }]
      : [];
  queue.completeCalls();
  if (ending.keepsCalls && queue.calls.some(({ name }) => name === "")) {
    return brokenParts(queue, "The provider sent a call without a name.");
  }
  const isCalling = ending.keepsCalls && queue.calls.length > 0;
  const reason = isCalling ? "tool-calls" : ending.reason;
  return [
    ...queue.release({ calls: ending.keepsCalls }),
    ...doubt,
    {
      type: "finish",
      reason,
      rawReason,
      ...given({ detail, state }),
    },
  ];
}

/** The last parts of a response that cannot be used; the sentence says why, and `lastParts` what was kept. */
export function brokenParts(queue: PartQueue, message: string): readonly StreamPart[] {
  const failure = { kind: "bad-stream", message } as const;
  return [...queue.release({ calls: false }), { type: "error", failure }];
}
