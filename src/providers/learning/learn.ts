/**
 * Asks again with a changed request when a refusal says what has to change. Each lesson is said once and kept, so
 * that the next request goes out right at once; how often one question is asked is bounded.
 */
import type { Failure, StreamPart } from "../../conversation/ports.ts";

/** Of one question. A pack of tools may be refused one by one. */
const mostLessons = 8;

export interface Learner {
  /** Sends the request as it is by now. */
  ask(): AsyncIterable<StreamPart>;
  /** Keeps what a refusal teaches, and says what is done; null: it teaches nothing new. `count` begins at 1. */
  learn(failure: Failure, count: number): string | null;
}

export async function* withLessons({ ask, learn }: Learner): AsyncGenerator<StreamPart> {
  for (let count = 1; ; count += 1) {
    let hasBegun = false;
    let lesson: string | null = null;
    for await (const part of ask()) {
      if (part.type === "error" && !hasBegun && count <= mostLessons) {
        lesson = learn(part.failure, count);
        if (lesson !== null) break;
      }
      hasBegun ||= part.type !== "notice" && part.type !== "retry";
      // What the first request could not take was said, and what the next cannot take is the lesson.
      if (part.type === "notice" && !hasBegun && count > 1) continue;
      yield part;
    }
    if (lesson === null) return;
    yield { type: "notice", message: lesson };
  }
}
