/** Server-sent events of one response, read piece by piece; in time that grows with their length alone. */
import { createParser } from "eventsource-parser";

export interface EventParser {
  /**
   * The data of every event that is complete with this piece, in order; comments and other fields are left out.
   * @throws SyntaxError when an event is longer than any answer of a model
   */
  push(text: string): readonly string[];
}

/** In characters, of one event. An image in an answer is a few million. */
const longestEvent = 64 * 1024 * 1024;

export function createEventParser(limit = longestEvent): EventParser {
  let found: string[] = [];
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: ({ data }) => found.push(data),
    onError: ({ type }) => {
      // What else it calls an error is skipped, as the standard says.
      isTooLong ||= type === "max-buffer-size-exceeded";
    },
  });
  return {
    push(text) {
      found = [];
      parser.feed(text);
      if (isTooLong) throw new SyntaxError(`An event of the stream is over ${limit} characters.`);
      return found;
    },
  };
}
