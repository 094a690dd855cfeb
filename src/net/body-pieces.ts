/** The body of a response, piece by piece, until it ends, it breaks, or nobody wants it any more. */

/**
 * Bytes that are given at once, at most. Of a socket that is full Node reads 32 times 64 kB before it looks at anything
 * else, and the key that stops the answer would wait until all of them are read.
 */
const fullPiece = 16 * 1024;
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** As `fetch` gives it, or as a connection does. */
export type Body = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * What was read, in pieces of 16 kB at most. Rejects as reading does, and with the signal's reason as soon as it is
 * aborted. Of a request that is aborted while a piece is under way Node's own reading, and the cancel that its iterator
 * waits for, may never come to an end: a stop in that moment would wait for ever.
 */
export async function* bodyPieces(
  body: Body | null,
  signal: AbortSignal | null = null,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = readerOf(body);
  let stop = () => {};
  const onAbort = () => stop();
  // One listener for all of the body and not one for each piece of it.
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    for (;;) {
      const { done, value } = await new Promise<Read>((resolve, reject) => {
        stop = () => reject(signal?.reason);
        reader.read().then(resolve, reject);
      });
      if (done === true) return;
      for (let from = 0; from < value.byteLength; from += fullPiece) {
        const piece = value.subarray(from, from + fullPiece);
        yield piece;
        if (piece.byteLength === fullPiece) await nextTurn();
        signal?.throwIfAborted();
      }
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // Of a body that has ended or broken there is nothing left to cancel, and nobody waits for the rest.
    reader.cancel().catch(() => {});
  }
}

type Read =
  | { readonly done?: false; readonly value: Uint8Array }
  | { readonly done: true; readonly value?: unknown };

interface Reader {
  read(): Promise<Read>;
  cancel(): Promise<unknown>;
}

function readerOf(body: Body): Reader {
  // To ask for the class would load all of Node's web streams.
  if ("getReader" in body) {
    const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
    return { read: () => reader.read(), cancel: () => reader.cancel() };
  }
  const pieces = body[Symbol.asyncIterator]();
  return { read: () => pieces.next(), cancel: async () => pieces.return?.() };
}
