/** Parses the server-sent events of one response piece by piece, in time linear in their length. */
import { createParser } from "eventsource-parser";
import { parseJson } from "../../shared/json.ts";
import { isErrorEvent } from "../failures/error-body.ts";

export interface EventParser {
  /**
   * Returns the data of every event that this piece completes, in order, without comments and other fields. Some
   * servers report a failure outside of events: as bare JSON, or in a field `error` (llama.cpp up to 2025).
   * @throws SyntaxError if an event is longer than any model's answer
   */
  push(text: string): readonly string[];
}

/** In characters, per event. An image in an answer has a few million. */
const longestEvent = 64 * 1024 * 1024;

export function createEventParser(limit = longestEvent): EventParser {
  let found: string[] = [];
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: ({ data }) => found.push(data),
    onError: ({ type, field, value = "", line = "" }) => {
      isTooLong ||= type === "max-buffer-size-exceeded";
      // Other lines that the parser calls errors are skipped, as the standard says, unless they report a failure.
      const data = field === "error" ? JSON.stringify({ error: parseJson(value) ?? value }) : line;
      if (isErrorEvent(parseJson(data))) found.push(data);
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
