/**
 * The body of an answer as it comes: server-sent events, as was asked for, or one text in their place, as some
 * servers, proxies and login pages send it. Pure but for its own buffer.
 */
import type { HttpResponse } from "../../net/lasting-fetch.ts";
import { isObject, type JsonObject, parseJson } from "../../shared/json.ts";
import { isErrorValue } from "../failures/error-body.ts";
import { RefusedResponse } from "../failures/refused-response.ts";

export interface AnswerBody {
  /**
   * The data of the events that are complete with this piece, in order.
   * @throws SyntaxError when a text is longer than any answer of a model: it may have no end
   */
  push(text: string): readonly string[];
  /** After the last piece: the data of a last event that no blank line ends, as some servers and proxies leave it. */
  rest(): readonly string[];
  /** After the last piece: the text that came in place of events; null: there were events, or nothing. */
  whole(): string | null;
}

/** In characters; an answer that is longer is no answer of a model. */
const longestWhole = 32 * 1024 * 1024;

/** `events` reads server-sent events; it is given the text from the first character that is no white space. */
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
        // A line of an event begins with the name of a field or a colon.
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
    // Of an event that was cut, the JSON is cut too.
    rest: () => (isWhole === false ? events.push("\n\n").filter(isComplete) : []),
    whole: () => (isWhole === true ? pieces.join("") : null),
  };
}

/** Some servers ping with events that hold nothing. */
function hasData(data: string): boolean {
  return data.trim() !== "";
}

function isComplete(data: string): boolean {
  return data.trim() === "[DONE]" || parseJson(data) !== undefined;
}

/**
 * The JSON of an answer that came whole.
 * @throws RefusedResponse when it is an error, a page, or no JSON
 */
export function readWholeAnswer(
  text: string,
  { status, headers }: Pick<HttpResponse, "status" | "headers">,
): JsonObject {
  const value = parseJson(text);
  if (isObject(value) && !isErrorValue(value)) return value;
  throw new RefusedResponse(status, headers, text);
}
