/** A request on its way: all that it takes is done at once, and it leaves when its answer has a place. */
import type { ModelRequest, Models, StreamPart } from "../ports.ts";

export interface Sending {
  /** Does what can be done before the request leaves. */
  begin(): void;
  /** Lets it leave. */
  leave(): void;
  /** Of its answer; to be called once. */
  parts(): AsyncIterable<StreamPart>;
  /** It is not to leave, or its answer is not wanted any more. The last that is called. */
  drop(): void;
}

/** `signal`: a person stops it. */
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
  // Of a request that is dropped before anything waited for it.
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
  /** Where nobody went through the values: whoever makes them is told that nobody will. */
  end(): void;
}

/** A generator does nothing until its first value is asked for: asks for it. */
function beginNow<Value>(source: AsyncIterable<Value>): Begun<Value> {
  const iterator = source[Symbol.asyncIterator]();
  const first = iterator.next();
  // Whoever goes through them is told.
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
