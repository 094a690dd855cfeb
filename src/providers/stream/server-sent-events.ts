/** Server-sent events of one response, read piece by piece; in time that grows with their length alone. */
import { createParser } from "eventsource-parser";
import { parseJson } from "../../shared/json.ts";
import { isErrorEvent } from "../failures/error-body.ts";

export interface EventParser {
  /**
   * The data of every event that is complete with this piece, in order; comments and other fields are left out. Some
   * servers tell a failure beside their events: as bare JSON, in a field `error` (llama.cpp up to 2025).
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
    onError: ({ type, field, value = "", line = "" }) => {
      isTooLong ||= type === "max-buffer-size-exceeded";
      // What else it calls an error is skipped, as the standard says, unless it is one.
      const told = field === "error" ? JSON.stringify({ error: parseJson(value) ?? value }) : line;
      if (isErrorEvent(parseJson(told))) found.push(told);
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
