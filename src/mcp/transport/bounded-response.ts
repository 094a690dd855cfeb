/** Limits the size of one message from a remote server, with the same limit as for a process. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** Bytes of one response, or of one event of a stream. */
const largestMessage = 64 * 1024 * 1024;

/** Bytes of events that are read before yielding to the event loop: one network chunk may have thousands of events. */
const eventBytes = 4 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Thrown while a response is read. */
export class OversizedMessageError extends Error {}

/** Returns the response with a body that fails once a message in it is too large. */
export function boundedResponse(response: Response, largest = largestMessage): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
  const size = isStream ? eventSize() : answerSize();
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    async transform(piece, controller) {
      if (size(piece) > largest) {
        return controller.error(new OversizedMessageError("A message of the server is too large."));
      }
      if (!isStream) return controller.enqueue(piece);
      for (let from = 0, end = 0; from < piece.length; from = end) {
        if (from > 0) await nextTurn();
        end = endOfEvents(piece, from);
        controller.enqueue(piece.subarray(from, end));
      }
    },
  });
  return new Response(body.pipeThrough(limit), { status, statusText, headers });
}

/** Where to yield after `from`: never inside a line, since only the end of a line can end an event. */
function endOfEvents(piece: Uint8Array, from: number): number {
  let end = from + eventBytes;
  while (end < piece.length && piece[end - 1] !== lineFeed && piece[end - 1] !== carriageReturn)
    end += 1;
  return Math.min(end, piece.length);
}

type Size = (piece: Uint8Array) => number;

function answerSize(): Size {
  let size = 0;
  return (piece) => {
    size += piece.length;
    return size;
  };
}

/** Size of the current event, which a blank line ends. A text with only CR line ends counts as one line. */
function eventSize(): Size {
  let size = 0;
  let isBlank = true;
  return (piece) => {
    let largest = 0;
    let from = 0;
    while (from < piece.length) {
      const feed = piece.indexOf(lineFeed, from);
      const end = feed < 0 ? piece.length : feed;
      size += end - from;
      largest = Math.max(largest, size);
      isBlank &&= end === from || (end === from + 1 && piece[from] === carriageReturn);
      if (feed < 0) break;
      if (isBlank) size = 0;
      isBlank = true;
      from = feed + 1;
    }
    return Math.max(largest, size);
  };
}
