/** The body of a response, piece by piece, until it ends, it breaks, or nobody wants it any more. */
import { rejectOnAbort } from "../shared/abort.ts";

/**
 * Rejects as reading does, and with the signal's reason as soon as it is aborted. Of a request that is aborted while a
 * piece is under way Node's own reading, and the cancel that its iterator waits for, may never come to an end: a stop
 * in that moment would wait for ever.
 */
export async function* bodyPieces(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal | null = null,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const reading = reader.read();
      const { done, value } = await (signal === null ? reading : rejectOnAbort(reading, signal));
      if (done) return;
      yield value;
    }
  } finally {
    // Of a body that has ended or broken there is nothing left to cancel, and nobody waits for the rest.
    reader.cancel().catch(() => {});
  }
}
