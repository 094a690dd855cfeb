/** Decides the kind of a failure from its facts, and whether the request may be repeated automatically. Pure. */

import type { FailureKind } from "../../conversation/ports.ts";
import { isLocalAddress } from "../../net/local-address.ts";
import { StreamedError } from "./error-body.ts";
import { causeOf, codesOf, type FailedRequest, type FailureFacts } from "./failure-facts.ts";
import {
  badKey,
  dailyLimit,
  lacksFeature,
  minuteLimit,
  outputLimit,
  overflow,
  unknownModelWords,
  unpaid,
  unreadCall,
  withoutCredits,
} from "./failure-words.ts";
import { RefusedResponse } from "./refused-response.ts";

/** The kinds that a request can fail with; the others arise elsewhere. */
export type RequestFailureKind = Exclude<
  FailureKind,
  "missing-key" | "refused" | "idle" | "aborted" | "unknown-model"
>;

/** Uses the status, or, without one (in a stream), the vendor's text. */
export function kindOf(facts: FailureFacts, error: unknown): RequestFailureKind {
  const { status, words, said, codes } = facts;
  if (unreadCall.test(said)) return "bad-stream";
  const isAboutChat = !outputLimit.test(said) && overflow.test(`${words} ${said}`);
  const isTooLong = status === 429 ? minuteLimit.test(said) : isAboutChat;
  if (isTooLong || status === 413) return "context-overflow";
  if (isUnpaid(facts)) return "other";
  if (status !== null) return kindOfStatus(status, `${words} ${said}`);
  if (/authentication|permission|api_key/.test(words) || badKey.test(said)) return "auth";
  if (/rate.?limit/i.test(`${words} ${said}`)) return "rate-limit";
  if (/not_found/.test(words)) return "not-found";
  // OpenAI's `invalid_prompt` and its errors about images arrive in the stream, and would fail again.
  if (
    /\b(invalid|unsupported|empty_image|image|bad_request)/.test(words) ||
    lacksFeature.test(said)
  )
    return "invalid-request";
  if (codes.includes("ERR_INVALID_URL")) return "invalid-request";
  // An error or a page instead of an answer: nothing suggests that waiting would help.
  const response = causeOf(error, (each) => each instanceof RefusedResponse);
  if (response !== null)
    return /^\s*[[{]/.test(response.body) && said !== "" ? "other" : "bad-stream";
  // The provider reports a failure in the middle of its stream, unnamed or with an unknown name.
  if (said !== "" || words !== "" || error instanceof StreamedError) return "overloaded";
  if (error instanceof SyntaxError) return "bad-stream";
  if (isProgramError(error)) return "internal";
  return codes.length > 0 || isConnectionError(error) ? "network" : "internal";
}

/** A programming error, which an SDK wraps like a failed connection: a retry would not help. */
function isProgramError(error: unknown): boolean {
  const isOwn = (each: Error): each is TypeError =>
    (each instanceof TypeError || each instanceof ReferenceError || each instanceof RangeError) &&
    !isConnectionError(each) &&
    codesOf(each).length === 0;
  return causeOf(error, isOwn) !== null;
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^(terminated|fetch failed|connection error|request timed out|premature close)/i.test(
    error.message,
  );
}

/** With a status, `unpaid` is only searched in the identifiers: a sentence may mention billing for other reasons. */
export function isUnpaid({ status, words, said }: FailureFacts): boolean {
  if (status === 402 || unpaid.test(words)) return true;
  return status === null ? unpaid.test(said) : status < 500 && withoutCredits.test(said);
}

/** Statuses below 500 that are temporary; 424 is Bedrock's for a failed model, 498 Groq's for a full tier. */
const passing = new Set([408, 409, 424, 498]);

function kindOfStatus(status: number, words: string): RequestFailureKind {
  if (status === 401 || status === 403 || (status === 400 && badKey.test(words))) return "auth";
  if (status === 404 || ([400, 422].includes(status) && unknownModelWords.test(words)))
    return "not-found";
  if (status === 429) return "rate-limit";
  if (status === 501 || (status === 500 && lacksFeature.test(words))) return "invalid-request";
  if (status >= 500 || passing.has(status)) return "overloaded";
  return "invalid-request";
}

/** Codes of connections that were never made, so the request cannot have arrived. */
const unconnected = new Set([
  "ECONNREFUSED",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ENETDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** A connection that broke may have delivered the request, so repeating it is left to the user. */
export function mayRetry(
  kind: RequestFailureKind,
  facts: FailureFacts,
  request: FailedRequest,
): kind is "rate-limit" | "overloaded" | "network" {
  const { codes, headers, said, retryAfterMs } = facts;
  if (kind === "rate-limit" && retryAfterMs === null && dailyLimit.test(said)) return false;
  if (headers?.get("x-should-retry") === "false") return false;
  if (kind === "network") {
    return !isServerDown(facts, request) && codes.some((code) => unconnected.has(code));
  }
  return kind === "rate-limit" || kind === "overloaded";
}

/** A server on this machine that does not run: it will not start while we wait. */
export function isServerDown({ codes, proxy }: FailureFacts, { baseUrl }: FailedRequest): boolean {
  return proxy === null && codes.includes("ECONNREFUSED") && isLocalAddress(baseUrl);
}
