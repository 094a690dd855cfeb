/** Ends a request on which nothing arrives any more: the SDKs' own time-out ends with the response's head. */
import type { Timeouts } from "./connection.ts";

export interface SilenceWatch {
  /** For the request: aborted by the caller's signal or by silence. */
  readonly signal: AbortSignal;
  /** Something arrived. */
  touch(): void;
  /** The silence that ended the request, in milliseconds; null: none did. */
  silentMs(): number | null;
  /** The response is complete; only the end of the connection is awaited. */
  expectEnd(): void;
  close(): void;
}

export function watchSilence(outer: AbortSignal, timeouts: Timeouts): SilenceWatch {
  const controller = new AbortController();
  let silentMs: number | null = null;
  let milliseconds = timeouts.firstByteMs;
  const onSilence = () => {
    silentMs = milliseconds;
    controller.abort();
  };
  let timer = setTimeout(onSilence, milliseconds);
  const allow = (next: number) => {
    // Moving a timer is cheaper than another one, and this runs for every piece of a stream.
    if (next === milliseconds) return void timer.refresh();
    milliseconds = next;
    clearTimeout(timer);
    timer = setTimeout(onSilence, milliseconds);
  };
  const stop = () => controller.abort();
  outer.addEventListener("abort", stop, { once: true });
  if (outer.aborted) stop();
  let ending = false;
  return {
    signal: controller.signal,
    touch: () => allow(ending ? timeouts.closingMs : timeouts.idleMs),
    silentMs: () => silentMs,
    expectEnd() {
      ending = true;
      allow(timeouts.closingMs);
    },
    close() {
      clearTimeout(timer);
      outer.removeEventListener("abort", stop);
    },
  };
}
