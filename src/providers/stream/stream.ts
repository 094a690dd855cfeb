/** Streams one response: whatever happens, the last part is `finish` or `error`, and nothing is thrown. */
import type { Failure, StreamPart } from "../../conversation/ports.ts";
import { bodyPieces } from "../../net/body-pieces.ts";
import type { HttpResponse } from "../../net/lasting-fetch.ts";
import { rejectOnAbort } from "../../shared/abort.ts";
import { counted } from "../../shared/counted.ts";
import { createYield } from "../../shared/event-loop.ts";
import { sleptDuring } from "../../shared/waiting.ts";
import type { Endpoint, Timeouts } from "../endpoint.ts";
import { StreamedError } from "../failures/error-body.ts";
import { retryText } from "../failures/failure-sentence.ts";
import { classify } from "../failures/failures.ts";
import { type AnswerBody, createAnswerBody, readWholeAnswer } from "./answer-body.ts";
import type { Decoder } from "./decoder.ts";
import { createEventParser } from "./server-sent-events.ts";

export const stopped: Failure = { kind: "aborted", message: "Stopped." };

/** Streams one response. `send` sends the request and returns the response before its body. */
export async function* streamParts(
  send: (signal: AbortSignal) => Promise<HttpResponse>,
  decoder: Decoder,
  endpoint: Endpoint,
  context: { readonly modelId: string; readonly signal: AbortSignal },
): AsyncGenerator<StreamPart> {
  const { signal } = context;
  const watch = watchSilence(signal, endpoint.timeouts);
  let failure: Failure | null = null;
  /** The failure was reported by the vendor in its stream. */
  let isReported = false;
  let hasBegun = false;
  try {
    const response = await rejectOnAbort(send(watch.signal), watch.signal);
    const bytes = new TextDecoder();
    const body = createAnswerBody(createEventParser());
    const yieldNow = createYield();
    for await (const piece of bodyPieces(response.body, watch.signal)) {
      const events = body.push(bytes.decode(piece, { stream: true }));
      const { parts, failed } = decode(decoder, events);
      // After the finish reason, keep-alive lines do not count as progress: some servers send them forever.
      const isHeard = events.length > 0 || decoder.rawReason() === null;
      if (isHeard && decoder.ending() !== "over") watch.touch(decoder.ending() === "likely");
      for (const part of parts) {
        hasBegun ||= isShown(part);
        yield part;
        // Parts that were decoded before the abort must not be passed on after it.
        if (signal.aborted) break;
      }
      if (signal.aborted) break;
      if (failed !== null) throw failed.error;
      if (decoder.ending() === "over") watch.expectEnd();
      // In a fast stream the next piece is always ready; without a pause, a stop would wait for the last piece.
      await yieldNow();
    }
    if (!signal.aborted) {
      for (const part of atEnd(decoder, body, response)) {
        hasBegun ||= isShown(part);
        yield part;
      }
    }
  } catch (error) {
    failure = classify(error, { ...endpoint, modelId: context.modelId, hasBegun });
    isReported = error instanceof StreamedError;
  } finally {
    watch.close();
  }
  for (const part of lastParts(decoder, endpoint, {
    failure,
    isReported: isReported,
    signal,
    silentMs: watch.silentMs(),
    hasBegun,
  })) {
    yield part;
  }
}

/**
 * The parts of the events in one piece, up to the first invalid event. Consecutive text, or consecutive thoughts, are
 * joined: in a fast stream a piece has hundreds of events, and every part has a cost in each consumer.
 */
function decode(decoder: Decoder, events: readonly string[]) {
  const parts: StreamPart[] = [];
  let failed: { readonly error: unknown } | null = null;
  try {
    for (const data of events) {
      for (const part of decoder.push(data)) {
        const last = parts.at(-1);
        const isMore = isShown(part) && last?.type === part.type;
        if (isMore) parts[parts.length - 1] = { type: part.type, text: last.text + part.text };
        else parts.push(part);
      }
    }
  } catch (error) {
    failed = { error };
  }
  return { parts, failed };
}

/** The parts that only the end of the body completes. */
function atEnd(decoder: Decoder, body: AnswerBody, response: HttpResponse): readonly StreamPart[] {
  const whole = body.whole();
  if (whole !== null) return decoder.pushWhole(readWholeAnswer(whole, response));
  return body.rest().flatMap((data) => decoder.push(data));
}

function lastParts(
  decoder: Decoder,
  { vendor }: Endpoint,
  end: {
    readonly failure: Failure | null;
    readonly isReported: boolean;
    readonly signal: AbortSignal;
    readonly silentMs: number | null;
    readonly hasBegun: boolean;
  },
): readonly StreamPart[] {
  const broken = (failure: Failure): readonly StreamPart[] => [
    ...decoder.abandon(),
    { type: "error", failure },
  ];
  if (end.signal.aborted) return broken(stopped);
  // Once a finish reason or the end has arrived, it no longer matters how the connection ended.
  if (decoder.rawReason() !== null || decoder.ending() === "over") {
    const { failure, isReported, hasBegun } = end;
    const notices: readonly StreamPart[] =
      failure !== null && isReported
        ? [{ type: "notice", message: failure.message, isFailure: true }]
        : [];
    return [...notices, ...withWhatIsKept(decoder.finish(), hasBegun)];
  }
  if (end.silentMs !== null) {
    const seconds = Math.round(end.silentMs / 1000);
    const happened = `${vendor.label} sent nothing for ${counted(seconds, "second")}, so the connection was closed`;
    const message = `${happened} (idle_timeout). ${retryText(end.hasBegun)}`;
    return broken({ kind: "idle", message, happened });
  }
  if (end.failure !== null) return broken(end.failure);
  const happened = `The answer of ${vendor.label} ended without saying why, so it may be incomplete`;
  const message = `${happened}. Any calls in it were discarded. ${retryText(end.hasBegun)}`;
  return broken({ kind: "bad-stream", message, happened });
}

type TextPart = Extract<StreamPart, { readonly text: string }>;

/** Adds to a failure what was kept of the answer. */
function withWhatIsKept(parts: readonly StreamPart[], hasBegun: boolean): readonly StreamPart[] {
  const isKept = hasBegun || parts.some(isShown);
  return parts.map((part) => {
    if (part.type !== "error") return part;
    const message = `${part.failure.message} Any calls in it were discarded. ${retryText(isKept)}`;
    return { ...part, failure: { ...part.failure, message } };
  });
}

/** Whether the part is shown in the text, so that something is kept if a failure follows. */
function isShown(part: StreamPart): part is TextPart {
  return part.type === "text-delta" || part.type === "reasoning-delta";
}

export interface SilenceWatch {
  /** For the request: aborted by the caller's signal or after a timeout without data. */
  readonly signal: AbortSignal;
  /** Restarts the timeout because data arrived; a shorter one if the answer is likely to be over. */
  touch(isLikelyOver: boolean): void;
  /** The timeout that ended the request, in milliseconds; null if none did. */
  silentMs(): number | null;
  /** Nothing follows, so only waits for the connection to close. */
  expectEnd(): void;
  close(): void;
}

function watchSilence(outer: AbortSignal, timeouts: Timeouts): SilenceWatch {
  const controller = new AbortController();
  let silentMs: number | null = null;
  let milliseconds = timeouts.firstByteMs;
  let since = performance.now();
  const onSilence = () => {
    const silent = performance.now() - since;
    if (sleptDuring(milliseconds, silent)) {
      since = performance.now();
      timer = setTimeout(onSilence, milliseconds);
    } else if (silent < milliseconds) {
      timer = setTimeout(onSilence, milliseconds - silent);
    } else {
      silentMs = milliseconds;
      controller.abort();
    }
  };
  let timer = setTimeout(onSilence, milliseconds);
  const allow = (next: number) => {
    since = performance.now();
    // The timer itself is not restarted for every piece of a stream: when it fires, it waits for what is left.
    if (next === milliseconds) return;
    milliseconds = next;
    clearTimeout(timer);
    timer = setTimeout(onSilence, milliseconds);
  };
  const stop = () => controller.abort();
  outer.addEventListener("abort", stop, { once: true });
  if (outer.aborted) stop();
  let isEnding = false;
  return {
    signal: controller.signal,
    touch(isLikelyOver) {
      isEnding = false;
      const { idleMs, afterReasonMs } = timeouts;
      allow(isLikelyOver ? Math.min(idleMs, afterReasonMs) : idleMs);
    },
    silentMs: () => silentMs,
    expectEnd() {
      if (!isEnding) allow(timeouts.closingMs);
      isEnding = true;
    },
    close() {
      clearTimeout(timer);
      outer.removeEventListener("abort", stop);
    },
  };
}
