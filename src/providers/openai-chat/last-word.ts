/** Detects the last chunk of an answer. Pure except for its own state. */
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from "../../shared/json.ts";
import { callsOf, reasoningOf } from "./delta-fields.ts";

/**
 * Detects the end of an answer without `[DONE]`, which not all servers send: a finish reason without a piece of the
 * answer, and usage alone after it. If more of the answer follows, the server sends these with each piece, so they never
 * mark the end.
 */
export class LastWord {
  ending: "open" | "likely" | "over" = "open";
  #isPerPiece = false;

  /** Takes a chunk with, or after, a reason; before one, no chunk is the last. */
  push({ choices: list, usage }: JsonObject): void {
    const choices = objectsOf(list);
    if (choices.some(bringsMore)) {
      this.#isPerPiece ||= this.ending !== "open";
      this.ending = "open";
    } else if (!this.#isPerPiece) {
      const isReason = choices.some(({ finish_reason: reason }) => textOf(reason) !== "");
      if (choices.length === 0 && isObject(usage)) this.ending = "over";
      else if (isReason && this.ending === "open") this.ending = "likely";
    }
  }
}

/** Whether a choice has a piece of the answer. */
function bringsMore({ delta, message }: JsonObject): boolean {
  const { content, refusal, ...rest } = objectOf(delta ?? message);
  return Boolean(content || refusal) || reasoningOf(rest) !== "" || callsOf(rest).length > 0;
}
