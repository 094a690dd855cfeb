/**
 * Extracts facts from an error of an SDK, the network or a provider. Errors are recognized by shape, not by class, so
 * that no SDK has to be loaded. Pure.
 */

import { proxyFailureIn } from "../../net/proxy-failure.ts";
import { isObject, messageOf } from "../../shared/json.ts";
import { secretName } from "../../shared/secrets.ts";
import { clip, visibleText } from "../../shared/visible.ts";
import type { Endpoint } from "../endpoint.ts";
import { type ReportedError, readErrorBody, readErrorValue } from "./error-body.ts";
import { durationIn } from "./failure-words.ts";
import { redact } from "./redact.ts";
import { RefusedResponse } from "./refused-response.ts";

/** The request that failed: its vendor, model and key. */
export interface FailedRequest
  extends Pick<Endpoint, "vendor" | "apiKey" | "keySource" | "baseUrl" | "extras"> {
  readonly modelId: string;
  /** Whether part of the answer is in the text already. */
  readonly hasBegun?: boolean;
}

/** The facts of an error. */
export interface FailureFacts extends ReportedError {
  /** The error's own message, if it came from neither a provider nor the network. */
  readonly ownMessage: string;
  /** Codes of the error and its causes, such as `ECONNREFUSED`. */
  readonly codes: readonly string[];
  readonly headers: Headers | null;
  /** The target of a redirect; null if it is not a redirect. */
  readonly redirect: string | null;
  /** Why the proxy did not forward the request, as part of a sentence; null if no proxy failed. */
  readonly proxy: string | null;
}

/** In characters, for the log. */
const longestSaid = 4000;
/** In characters, for the screen. */
export const longestShown = 300;

export function failureFactsOf(error: unknown, request: FailedRequest): FailureFacts {
  const response = causeOf(error, (each) => each instanceof RefusedResponse);
  const reported = response === null ? streamedError(error) : readErrorBody(response.body);
  // A success status without an answer counts as the error that its body reports.
  const isRefused = response !== null && response.status >= 300;
  // Node repeats the parameters of an invalid address, so they are removed.
  // Secrets are hidden in the original message: it may contain an invalid header with all of its line ends.
  const words = redact(messageOf(error), secretsOf(request));
  const own = clip(words.replace(/(\/\/[^\s?#]*)[?#]\S*/g, "$1"), longestShown).text;
  return {
    ...reported,
    said: clip(redact(reported.said, secretsOf(request)), longestSaid).text,
    status: isRefused ? response.status : reported.status,
    ownMessage: visibleText(own.replace(/\s+/g, " ").replace(/\.$/, "")),
    codes: codesOf(error),
    headers: response?.headers ?? null,
    proxy: proxyFailureIn(error)?.reason ?? null,
    redirect: isRefused && response.status < 400 ? redirectOf(response, request) : null,
  };
}

/** An error that the vendor reports in its stream is in the property `error` of any class. */
function streamedError(error: unknown): ReportedError {
  return readErrorValue(isObject(error) ? error.error : undefined);
}

function redirectOf({ headers }: RefusedResponse, { baseUrl }: FailedRequest): string {
  const location = headers.get("location") ?? "";
  if (!URL.canParse(location, baseUrl)) return "";
  // The query may contain a token.
  const { protocol, origin, pathname } = new URL(location, baseUrl);
  return /^https?:$/.test(protocol) ? `${origin}${pathname}` : "";
}

/** The key, and headers and parameters with secret names; others, such as a version, may be part of the message. */
export function secretsOf({
  apiKey,
  extras: { headers = {}, query = {} },
}: FailedRequest): readonly string[] {
  const others = [...Object.entries(headers), ...Object.entries(query)].flatMap(([name, value]) =>
    secretName.test(name) ? [value, value.replace(/^\S+\s+/, "")] : [],
  );
  return [...(apiKey === null ? [] : [apiKey]), ...others];
}

/** The first matching error in a chain of causes. */
export function causeOf<E extends Error>(
  error: unknown,
  isWanted: (error: Error) => error is E,
): E | null {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (isWanted(current)) return current;
    current = current.cause;
  }
  return null;
}

export function codesOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const code = "code" in current ? current.code : undefined;
    // Providers' error codes are lower case, those of the system and its sockets are upper case.
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code)) codes.push(code);
    if (code === "EPROTO") codes.push(...secureReason(current.message));
    // Node tries all addresses of a host and collects the errors.
    if (current instanceof AggregateError) codes.push(...current.errors.flatMap(codesOf));
    current = current.cause;
  }
  return codes;
}

/** Node reports OpenSSL's reason as a code, `ERR_SSL_WRONG_VERSION_NUMBER`, or only in the message. */
function secureReason(message: string): readonly string[] {
  const reason = /:SSL routines:[^:]*:([\w ]+)/.exec(message)?.[1];
  return reason === undefined ? [] : [`ERR_SSL_${reason.toUpperCase().replaceAll(" ", "_")}`];
}

/** In milliseconds; null if the provider does not say, or if no wait is needed. */
export function retryAfter(headers: Headers | null): number | null {
  const exact = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (exact > 0) return exact;
  const text = headers?.get("retry-after") ?? "";
  const date = Date.parse(text) - Date.now();
  const milliseconds = /^[a-z]{3}/i.test(text) ? date : durationIn(text);
  return milliseconds !== null && milliseconds > 0 ? milliseconds : null;
}
