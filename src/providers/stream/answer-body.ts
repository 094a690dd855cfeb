/**
 * The body of an answer while it arrives: server-sent events, as requested, or a single text, which some servers,
 * proxies and login pages send instead. Pure except for its own buffer.
 */
import type { HttpResponse } from "../../net/lasting-fetch.ts";
import { isObject, type JsonObject, parseJson } from "../../shared/json.ts";
import { isErrorValue } from "../failures/error-body.ts";
import { RefusedResponse } from "../failures/refused-response.ts";

export interface AnswerBody {
  /**
   * Returns the data of the events that this piece completes, in order.
   * @throws SyntaxError if a text is longer than any model's answer, since it may never end
   */
  push(text: string): readonly string[];
  /** After the last piece: the data of a last event without a blank line, as some servers and proxies send it. */
  rest(): readonly string[];
  /** After the last piece: the text that was sent instead of events; null if there were events, or nothing. */
  whole(): string | null;
}

/** In characters; no model's answer is longer. */
const longestWhole = 32 * 1024 * 1024;

/** `events` parses server-sent events; it receives the text from the first non-white character on. */
export function createAnswerBody(
  events: { push(text: string): readonly string[] },
  limit = longestWhole,
): AnswerBody {
  let isWhole: boolean | null = null;
  let pieces: string[] = [];
  let length = 0;
  return {
    push(text) {
      if (isWhole === null) {
        const start = text.replace(/^[\s\ufeff]+/, "");
        if (start === "") return [];
        // A line of an event begins with a field's name or a colon.
        isWhole = /^[[{<"]/.test(start);
        if (!isWhole) return events.push(start).filter(hasData);
        pieces = [start];
        length = start.length;
        return [];
      }
      if (!isWhole) return events.push(text).filter(hasData);
      length += text.length;
      if (length > limit) throw new SyntaxError(`The answer is over ${limit} characters.`);
      pieces.push(text);
      return [];
    },
    // If an event was cut, its JSON is incomplete, too.
    rest: () => (isWhole === false ? events.push("\n\n").filter(isComplete) : []),
    whole: () => (isWhole === true ? pieces.join("") : null),
  };
}

/** Some servers send empty events to keep the connection alive. */
function hasData(data: string): boolean {
  return data.trim() !== "";
}

function isComplete(data: string): boolean {
  return data.trim() === "[DONE]" || parseJson(data) !== undefined;
}

/**
 * Parses an answer that was not streamed.
 * @throws RefusedResponse if it is an error, a page, or not JSON
 */
export function readWholeAnswer(
  text: string,
  { status, headers }: Pick<HttpResponse, "status" | "headers">,
): JsonObject {
  const value = parseJson(text);
  if (isObject(value) && !isErrorValue(value)) return value;
  throw new RefusedResponse(status, headers, text);
}
