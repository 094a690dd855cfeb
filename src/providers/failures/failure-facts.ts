/**
 * What can be read of an error of an SDK, of the network or of a provider. It is told by its shape and not by its class,
 * so that no SDK has to be loaded for it. Pure.
 */

import { proxyFailureIn } from "../../net/proxy-failure.ts";
import { isObject, messageOf } from "../../shared/json.ts";
import { secretName } from "../../shared/secrets.ts";
import { clip, visibleText } from "../../shared/visible.ts";
import type { Endpoint } from "../endpoint.ts";
import { readErrorBody, readErrorValue, type SaidError } from "./error-body.ts";
import { durationIn } from "./failure-words.ts";
import { redact } from "./redact.ts";
import { RefusedResponse } from "./refused-response.ts";

/** What was asked, of whom, with which key. */
export interface FailedRequest
  extends Pick<Endpoint, "vendor" | "apiKey" | "keySource" | "baseUrl" | "extras"> {
  readonly modelId: string;
  /** Whether a part of the answer stands in the text already. */
  readonly hasBegun?: boolean;
}

/** What can be read of an error. */
export interface FailureFacts extends SaidError {
  /** Of an error that came from neither a provider nor the network, its own message. */
  readonly ownMessage: string;
  /** Codes such as `ECONNREFUSED` of the error and its causes. */
  readonly codes: readonly string[];
  readonly headers: Headers | null;
  /** Where a redirect leads; null: it is none. */
  readonly redirect: string | null;
  /** Why the proxy in between did not pass the request on, a part of a sentence; null: none failed. */
  readonly proxy: string | null;
}

/** In characters, for the log. */
const longestSaid = 4000;
/** In characters, for the screen. */
export const longestShown = 300;

export function factsOf(error: unknown, request: FailedRequest): FailureFacts {
  const response = causeOf(error, (each) => each instanceof RefusedResponse);
  const told = response === null ? streamedError(error) : readErrorBody(response.body);
  // A success without an answer counts as what its body says.
  const isRefused = response !== null && response.status >= 300;
  // Of an address that cannot be asked, Node repeats the parameters, too.
  // What is hidden is looked for in the words as they came: a header that cannot be sent is in them, line ends and all.
  const words = redact(messageOf(error), secretsOf(request));
  const own = clip(words.replace(/(\/\/[^\s?#]*)[?#]\S*/g, "$1"), longestShown).text;
  return {
    ...told,
    said: clip(redact(told.said, secretsOf(request)), longestSaid).text,
    status: isRefused ? response.status : told.status,
    ownMessage: visibleText(own.replace(/\s+/g, " ").replace(/\.$/, "")),
    codes: codesOf(error),
    headers: response?.headers ?? null,
    proxy: proxyFailureIn(error)?.reason ?? null,
    redirect: isRefused && response.status < 400 ? redirectOf(response, request) : null,
  };
}

/** An error that the vendor tells in its stream hangs at `error`, whatever its class. */
function streamedError(error: unknown): SaidError {
  return readErrorValue(isObject(error) ? error.error : undefined);
}

function redirectOf({ headers }: RefusedResponse, { baseUrl }: FailedRequest): string {
  const location = headers.get("location") ?? "";
  if (!URL.canParse(location, baseUrl)) return "";
  // What stands behind the path may hold a token.
  const { protocol, origin, pathname } = new URL(location, baseUrl);
  return /^https?:$/.test(protocol) ? `${origin}${pathname}` : "";
}

/** The key, and what goes along under a name of such things; versions and the like may stand in what is told. */
export function secretsOf({
  apiKey,
  extras: { headers = {}, query = {} },
}: FailedRequest): readonly string[] {
  const others = [...Object.entries(headers), ...Object.entries(query)].flatMap(([name, value]) =>
    secretName.test(name) ? [value, value.replace(/^\S+\s+/, "")] : [],
  );
  return [...(apiKey === null ? [] : [apiKey]), ...others];
}

/** The first of an error and its causes that is wanted. */
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
    // Providers name their errors in lower case, the system and its sockets in upper case.
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code)) codes.push(code);
    if (code === "EPROTO") codes.push(...secureReason(current.message));
    // Node tries all addresses of a name at once and gathers what went wrong.
    if (current instanceof AggregateError) codes.push(...current.errors.flatMap(codesOf));
    current = current.cause;
  }
  return codes;
}

/** Node names what OpenSSL says in a code, `ERR_SSL_WRONG_VERSION_NUMBER`, or in the message alone. */
function secureReason(message: string): readonly string[] {
  const reason = /:SSL routines:[^:]*:([\w ]+)/.exec(message)?.[1];
  return reason === undefined ? [] : [`ERR_SSL_${reason.toUpperCase().replaceAll(" ", "_")}`];
}

/** In milliseconds; null when the provider did not say, or says that there is nothing to wait for. */
export function retryAfter(headers: Headers | null): number | null {
  const exact = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (exact > 0) return exact;
  const text = headers?.get("retry-after") ?? "";
  const date = Date.parse(text) - Date.now();
  const milliseconds = /^[a-z]{3}/i.test(text) ? date : durationIn(text);
  return milliseconds !== null && milliseconds > 0 ? milliseconds : null;
}
