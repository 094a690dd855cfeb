/**
 * Repeats a request automatically as long as no answer has begun and nothing can have been charged
 * (doc/providers.md). The SDKs' own retries are off: the user would not see them wait.
 */
import { setTimeout } from "node:timers/promises";
import type { Failure, StreamPart } from "../conversation/ports.ts";
import { stopped } from "./stream/stream.ts";

export interface RetryPolicy {
  /** How often a request is sent again; 0: never. */
  readonly maxRetries: number;
  /** Milliseconds before the first retry if the provider names no time; doubled for each further one. */
  readonly firstWaitMs: number;
}

export const defaultRetries: RetryPolicy = { maxRetries: 3, firstWaitMs: 1000 };

/** In milliseconds. If a provider asks for a longer pause, retrying is left to the user. */
const longestAskedWaitMs = 60_000;
const longestOwnWaitMs = 8_000;
/** In milliseconds. Spreads the retries of clients that were all given the same time. */
const askedJitterMs = 250;

/**
 * How long to wait before a request is sent again, in milliseconds; null: it is not.
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

/** Streams the first attempt that is answered, with a `retry` part before each further one; else the last failure. */
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
