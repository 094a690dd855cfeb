/** Reads the body of a response, piece by piece, until it ends, breaks or is no longer wanted. */
import { finished, Readable } from "node:stream";

/**
 * The most bytes that are yielded at once. From a full socket Node reads 32 times 64 kB before it looks at anything
 * else, and the key that stops the answer would wait until all of them are read.
 */
const fullPiece = 16 * 1024;
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A body as `fetch` or a connection returns it. */
export type Body = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Yields what was read, in pieces of at most 16 kB. Rejects as reading does, and with the signal's reason as soon as it
 * is aborted. When a request is aborted while a piece is being read, Node's own reading, and the cancel that its
 * iterator waits for, may never end: a stop at that moment would wait forever.
 */
export async function* bodyPieces(
  body: Body | null,
  signal: AbortSignal | null = null,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = readerOf(body);
  let stop = () => {};
  const onAbort = () => stop();
  // One listener for the whole body, instead of one for each piece.
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
    // A body that ended or broke has nothing left to cancel, and the rest is not waited for.
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
  if (body instanceof Readable) return readByEvents(body);
  // Checking the class would load all of Node's web streams.
  if ("getReader" in body) {
    const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
    return { read: () => reader.read(), cancel: () => reader.cancel() };
  }
  const pieces = body[Symbol.asyncIterator]();
  return { read: () => pieces.next(), cancel: async () => pieces.return?.() };
}

/**
 * Reads by the stream's events. Node's own iterator takes much longer for a piece, which matters when a model sends
 * hundreds of small ones a second.
 */
function readByEvents(stream: Readable): Reader {
  let arrived: Buffer[] = [];
  let bytes = 0;
  let end: { readonly error: Error | null } | null = null;
  let wake = () => {};
  stream.on("data", (piece: Buffer) => {
    arrived.push(piece);
    bytes += piece.byteLength;
    // Node keeps the rest, and stops reading from the connection when it has a certain amount.
    if (bytes >= fullPiece) stream.pause();
    wake();
  });
  finished(stream, { writable: false }, (error) => {
    end = { error: error ?? null };
    wake();
  });
  const take = (): Read => {
    // Emits what Node has kept as a piece.
    if (stream.isPaused()) stream.read();
    const value = arrived.length === 1 && arrived[0] ? arrived[0] : Buffer.concat(arrived, bytes);
    arrived = [];
    bytes = 0;
    if (stream.isPaused()) stream.resume();
    return { value };
  };
  return {
    async read() {
      while (bytes === 0 && end === null) await new Promise<void>((resolve) => (wake = resolve));
      if (bytes > 0) return take();
      if (end?.error) throw end.error;
      return { done: true };
    },
    cancel: async () => stream.destroy(),
  };
}
