/**
 * Sends a request again by itself as long as no answer has begun and none can have been paid for (doc/providers.md).
 * The SDKs' own retries are off: they wait where nobody sees it.
 */
import { setTimeout } from "node:timers/promises";
import type { Failure, StreamPart } from "../conversation/ports.ts";
import { stopped } from "./stream/stream.ts";

export interface RetryPolicy {
  /** How often a request is sent again; 0: never. */
  readonly maxRetries: number;
  /** Before the first retry, in milliseconds, when the provider names no time; each further one doubles it. */
  readonly firstWaitMs: number;
}

export const defaultRetries: RetryPolicy = { maxRetries: 3, firstWaitMs: 1000 };

/** A provider that wants a longer pause than this is left to the person. In milliseconds. */
const longestAskedWaitMs = 60_000;
const longestOwnWaitMs = 8_000;
/** Of many who were told the same time, not all come back at once. In milliseconds. */
const askedJitterMs = 250;

/**
 * How long to wait before a request goes out again, in milliseconds; null: it does not.
 * @param retry its number, from 1
 * @param random from 0 to 1
 */
export function retryWait(
  failure: Failure,
  retry: number,
  { maxRetries, firstWaitMs }: RetryPolicy,
  random: number,
): number | null {
  if (failure.retryReason === undefined || retry > maxRetries) return null;
  const asked = failure.retryAfterMs;
  if (asked !== undefined) {
    return asked > longestAskedWaitMs ? null : Math.round(asked + random * askedJitterMs);
  }
  const wait = Math.min(longestOwnWaitMs, firstWaitMs * 2 ** (retry - 1));
  return Math.round(wait * (1 - random / 4));
}

/** The parts of the first attempt that answers, with a `retry` before each further one; else of the last. */
export async function* withRetries(
  attempt: () => AsyncIterable<StreamPart>,
  policy: RetryPolicy,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  for (let number = 1; ; number += 1) {
    let hasBegun = false;
    let failure: Failure | null = null;
    for await (const part of attempt()) {
      if (part.type === "error") {
        failure = part.failure;
        break;
      }
      hasBegun ||= part.type !== "usage" && part.type !== "notice";
      yield part;
    }
    if (failure === null) return;
    const waitMs = hasBegun ? null : retryWait(failure, number, policy, Math.random());
    if (waitMs === null || signal.aborted) {
      return yield { type: "error", failure: afterAttempts(failure, number) };
    }
    yield { type: "retry", failure, attempt: number, attempts: policy.maxRetries + 1, waitMs };
    const isAborted = await setTimeout(waitMs, false, { signal }).catch(() => true);
    if (isAborted) return yield { type: "error", failure: stopped };
  }
}

function afterAttempts(failure: Failure, attempts: number): Failure {
  if (attempts === 1) return failure;
  return { ...failure, attempts, message: `${failure.message} (Tried ${attempts} times.)` };
}
