/**
 * Ends a request on which nothing arrives any more: the SDKs' own time-out ends with the response's head, and
 * their streams swallow keep-alive lines, so the bytes themselves are watched.
 */
import type { Timeouts } from "./connection.ts";

export interface SilenceWatch {
  /** For the SDK: aborted by the caller's signal or by silence. */
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** Whether silence ended the request. */
  isSilent(): boolean;
  /** The response is complete; only the end of the connection is awaited. */
  expectEnd(): void;
  close(): void;
}

export function watchSilence(outer: AbortSignal, timeouts: Timeouts): SilenceWatch {
  const controller = new AbortController();
  let silent = false;
  const onSilence = () => {
    silent = true;
    controller.abort();
  };
  let timer = setTimeout(onSilence, timeouts.firstByteMs);
  const restart = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(onSilence, milliseconds);
  };
  const stop = () => controller.abort();
  outer.addEventListener("abort", stop, { once: true });
  if (outer.aborted) stop();

  let streaming = false;
  const touch = () => {
    // Restarting a timer costs more than moving it, and this runs for every piece of a stream.
    if (streaming) timer.refresh();
    else restart(timeouts.idleMs);
    streaming = true;
  };
  return {
    signal: controller.signal,
    fetch: async (input, init) => watchBody(await fetch(input, init), touch),
    isSilent: () => silent,
    expectEnd: () => restart(timeouts.closingMs),
    close() {
      clearTimeout(timer);
      outer.removeEventListener("abort", stop);
      // Whoever stops reading early has no other way to close the socket.
      controller.abort();
    },
  };
}

function watchBody(response: Response, touch: () => void): Response {
  if (!response.ok || response.body === null) return response;
  const watched = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, out) {
      touch();
      out.enqueue(bytes);
    },
  });
  return new Response(response.body.pipeThrough(watched), response);
}
