/** Prepares a request at once, and sends it when its answer has a place in the text. */
import type { ModelRequest, Models, StreamPart } from "../ports.ts";

export interface Sending {
  /** Does everything that can be done before the request is sent. */
  begin(): void;
  /** Lets the request be sent. */
  leave(): void;
  /** The parts of the response; may be called once. */
  parts(): AsyncIterable<StreamPart>;
  /** The request is not to be sent, or its answer is no longer wanted. Nothing else may be called after it. */
  drop(): void;
}

/** `signal` aborts when the user stops the request. */
export function createSending(
  stream: Models["stream"],
  request: ModelRequest,
  signal: AbortSignal,
): Sending {
  const dropped = new AbortController();
  let open = () => {};
  let refuse = (_reason: unknown) => {};
  const ready = new Promise<void>((resolve, reject) => {
    open = resolve;
    refuse = reject;
  });
  // For a request that is dropped before anything awaits this.
  ready.catch(() => {});
  let begun: Begun<StreamPart> | null = null;
  const begin = () => {
    begun ??= beginNow(
      stream(request, { signal: AbortSignal.any([signal, dropped.signal]), ready }),
    );
    return begun;
  };
  return {
    begin,
    leave() {
      begin();
      open();
    },
    parts: () => begin().values,
    drop() {
      dropped.abort();
      refuse(dropped.signal.reason);
      begun?.end();
    },
  };
}

interface Begun<Value> {
  readonly values: AsyncIterable<Value>;
  /** For values that were never read: tells their source that nothing will read them. */
  end(): void;
}

/** A generator does nothing until its first value is requested, so this requests it. */
function beginNow<Value>(source: AsyncIterable<Value>): Begun<Value> {
  const iterator = source[Symbol.asyncIterator]();
  const first = iterator.next();
  // Whoever reads the values gets the error.
  first.catch(() => {});
  let next: Promise<IteratorResult<Value>> | null = first;
  const rest: AsyncIterator<Value> = {
    next() {
      const taken = next ?? iterator.next();
      next = null;
      return taken;
    },
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
  };
  return {
    values: { [Symbol.asyncIterator]: () => rest },
    end() {
      if (next !== null) iterator.return?.().catch(() => {});
    },
  };
}
