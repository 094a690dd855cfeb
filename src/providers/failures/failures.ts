/**
 * Errors of SDKs, of the network and of providers as one of a small set of kinds, with a sentence for a person
 * and the next action. Read by shape, not by class, so that no SDK has to be loaded for it. Pure.
 */

import type { Failure, FailureKind } from "../../conversation/ports.ts";
import { isLocalAddress } from "../../net/local-address.ts";
import { proxyFailureIn } from "../../net/proxy-failure.ts";
import { counted } from "../../shared/counted.ts";
import { given } from "../../shared/given.ts";
import { isObject, messageOf } from "../../shared/json.ts";
import { secretName } from "../../shared/secrets.ts";
import { clip, ellipsize, visibleText } from "../../shared/visible.ts";
import { isUnseen } from "../../shared/well-formed.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import type { Endpoint } from "../endpoint.ts";
import type { Vendor } from "../vendors/vendor.ts";
import { readErrorBody, readErrorValue, type SaidError, StreamedError } from "./error-body.ts";
import {
  aboutKey,
  badKey,
  durationIn,
  lacksFeature,
  networkReason,
  overDay,
  overflow,
  overMinute,
  unknownModel,
  unpaid,
  unreadCall,
  waitIn,
  withoutCredits,
} from "./failure-words.ts";
import { redact } from "./redact.ts";
import { RefusedResponse } from "./refused-response.ts";

interface Context extends Pick<Endpoint, "vendor" | "apiKey" | "keySource" | "baseUrl" | "extras"> {
  readonly modelId: string;
  /** Whether a part of the answer stands in the text already. */
  readonly hasBegun?: boolean;
}

/** What a request can fail with; the other kinds are told where they arise. */
type RequestFailureKind = Exclude<
  FailureKind,
  "missing-key" | "refused" | "idle" | "aborted" | "unknown-model"
>;

/** What can be read of an error. */
interface Facts extends SaidError {
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

export function missingKey(vendor: Vendor): Failure {
  return {
    kind: "missing-key",
    message: `There is no API key for ${vendor.label}. Set ${vendor.keyVariable} in the environment, or providers.${vendor.id}.api_key in the configuration (a text, or a command as a list of words), and respond again.`,
  };
}

/** The failure that an error of a request is; never holds the key or a header. */
export function classify(error: unknown, context: Context): Failure {
  const facts = factsOf(error, context);
  const kind = kindOf(facts, error);
  const requestId = facts.headers?.get("request-id") ?? facts.headers?.get("x-request-id");
  const retryAfterMs = retryAfter(facts.headers) ?? facts.retryAfterMs ?? waitIn(facts.said);
  const hide = (text: string) => redact(text, secretsOf(context));
  return {
    kind,
    message: hide(sentence(kind, facts, context, retryAfterMs)),
    ...given({
      said: facts.said === "" ? null : visibleText(facts.said),
      parameter: facts.parameter === "" ? null : visibleText(facts.parameter),
      status: facts.status,
      requestId: requestId || null,
      retryAfterMs,
      retryReason: mayRetry(kind, { ...facts, retryAfterMs }, context)
        ? hide(happened(kind, facts, context))
        : null,
    }),
  };
}

/** Codes of a connection that was not made, so that the request cannot have arrived. */
const unconnected = new Set([
  "ECONNREFUSED",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ENETDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** A connection that broke may have carried the request, so that is left to the person. */
function mayRetry(
  kind: RequestFailureKind,
  facts: Facts,
  context: Context,
): kind is "rate-limit" | "overloaded" | "network" {
  const { codes, headers, said, retryAfterMs } = facts;
  if (kind === "rate-limit" && retryAfterMs === null && overDay.test(said)) return false;
  if (headers?.get("x-should-retry") === "false") return false;
  if (kind === "network") {
    return !isServerDown(facts, context) && codes.some((code) => unconnected.has(code));
  }
  return kind === "rate-limit" || kind === "overloaded";
}

/** A server on this machine that is not started: it will not start while we wait. */
function isServerDown({ codes, proxy }: Facts, { baseUrl }: Context): boolean {
  return proxy === null && codes.includes("ECONNREFUSED") && isLocalAddress(baseUrl);
}

/** The key, and what goes along under a name of such things; versions and the like may stand in what is told. */
function secretsOf({ apiKey, extras: { headers = {}, query = {} } }: Context): readonly string[] {
  const others = [...Object.entries(headers), ...Object.entries(query)].flatMap(([name, value]) =>
    secretName.test(name) ? [value, value.replace(/^\S+\s+/, "")] : [],
  );
  return [...(apiKey === null ? [] : [apiKey]), ...others];
}

/** In characters, for the log; the screen has less. */
const longestSaid = 4000;
const longestShown = 300;

function factsOf(error: unknown, context: Context): Facts {
  const response = causeOf(error, (each) => each instanceof RefusedResponse);
  const told = response === null ? streamedError(error) : readErrorBody(response.body);
  // A success without an answer counts as what its body says.
  const isRefused = response !== null && response.status >= 300;
  // Of an address that cannot be asked, Node repeats the parameters, too.
  // What is hidden is looked for in the words as they came: a header that cannot be sent is in them, line ends and all.
  const words = redact(messageOf(error), secretsOf(context));
  const own = clip(words.replace(/(\/\/[^\s?#]*)[?#]\S*/g, "$1"), longestShown).text;
  return {
    ...told,
    said: clip(redact(told.said, secretsOf(context)), longestSaid).text,
    status: isRefused ? response.status : told.status,
    ownMessage: visibleText(own.replace(/\s+/g, " ").replace(/\.$/, "")),
    codes: codesOf(error),
    headers: response?.headers ?? null,
    proxy: proxyFailureIn(error)?.reason ?? null,
    redirect: isRefused && response.status < 400 ? redirectOf(response, context) : null,
  };
}

/** An error that the vendor tells in its stream hangs at `error`, whatever its class. */
function streamedError(error: unknown): SaidError {
  return readErrorValue(isObject(error) ? error.error : undefined);
}

function redirectOf({ headers }: RefusedResponse, { baseUrl }: Context): string {
  const location = headers.get("location") ?? "";
  if (!URL.canParse(location, baseUrl)) return "";
  // What stands behind the path may hold a token.
  const { protocol, origin, pathname } = new URL(location, baseUrl);
  return /^https?:$/.test(protocol) ? `${origin}${pathname}` : "";
}

/** The first of an error and its causes that is wanted. */
function causeOf<E extends Error>(
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

function codesOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const code = "code" in current ? current.code : undefined;
    // Providers name their errors in lower case, the system and its sockets in upper case.
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code)) codes.push(code);
    // Node tries all addresses of a name at once and gathers what went wrong.
    if (current instanceof AggregateError) codes.push(...current.errors.flatMap(codesOf));
    current = current.cause;
  }
  return codes;
}

/** By the status, and where there is none (in a stream) by the vendor's words. */
function kindOf(facts: Facts, error: unknown): RequestFailureKind {
  const { status, words, said, codes } = facts;
  if (unreadCall.test(said)) return "bad-stream";
  const isTooLong = status === 429 ? overMinute.test(said) : overflow.test(`${words} ${said}`);
  if (isTooLong || status === 413) return "context-overflow";
  if (isUnpaid(facts)) return "other";
  if (status !== null) return kindOfStatus(status, `${words} ${said}`);
  if (/authentication|permission|api_key/.test(words) || badKey.test(said)) return "auth";
  if (/rate.?limit/i.test(`${words} ${said}`)) return "rate-limit";
  if (/not_found/.test(words)) return "not-found";
  // OpenAI's `invalid_prompt` and the words for an image, which come in the stream: sent again they fail again.
  if (
    /\b(invalid|unsupported|empty_image|image|bad_request)/.test(words) ||
    lacksFeature.test(said)
  )
    return "invalid-request";
  if (codes.includes("ERR_INVALID_URL")) return "invalid-request";
  // In place of an answer, nothing says that waiting would help: an error of the server, or a page.
  const response = causeOf(error, (each) => each instanceof RefusedResponse);
  if (response !== null)
    return /^\s*[[{]/.test(response.body) && said !== "" ? "other" : "bad-stream";
  // A provider that tells a failure without a name for it, or a word, in the middle of its stream.
  if (said !== "" || words !== "" || error instanceof StreamedError) return "overloaded";
  if (error instanceof SyntaxError) return "bad-stream";
  if (isProgramError(error)) return "internal";
  return codes.length > 0 || isConnectionError(error) ? "network" : "internal";
}

/** A mistake of a program, which an SDK wraps as if the connection had failed: asking again would change nothing. */
function isProgramError(error: unknown): boolean {
  const isOwn = (each: Error): each is TypeError =>
    (each instanceof TypeError || each instanceof ReferenceError || each instanceof RangeError) &&
    !isConnectionError(each) &&
    codesOf(each).length === 0;
  return causeOf(error, isOwn) !== null;
}

/** Of a status, the words of the type, since a sentence may speak of billing for other reasons. */
function isUnpaid({ status, words, said }: Facts): boolean {
  if (status === 402 || unpaid.test(words)) return true;
  return status === null ? unpaid.test(said) : status < 500 && withoutCredits.test(said);
}

function kindOfStatus(status: number, words: string): RequestFailureKind {
  if (status === 401 || status === 403 || (status === 400 && badKey.test(words))) return "auth";
  if (status === 404 || ([400, 422].includes(status) && unknownModel.test(words)))
    return "not-found";
  if (status === 429) return "rate-limit";
  if (status === 501 || (status === 500 && lacksFeature.test(words))) return "invalid-request";
  if (status >= 500 || status === 408 || status === 409) return "overloaded";
  return "invalid-request";
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^(terminated|fetch failed|connection error|request timed out|premature close)/i.test(
    error.message,
  );
}

/** In milliseconds; null when the provider did not say, or says that there is nothing to wait for. */
function retryAfter(headers: Headers | null): number | null {
  const exact = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (exact > 0) return exact;
  const text = headers?.get("retry-after") ?? "";
  const date = Date.parse(text) - Date.now();
  const milliseconds = /^[a-z]{3}/i.test(text) ? date : durationIn(text);
  return milliseconds !== null && milliseconds > 0 ? milliseconds : null;
}

/** Minutes and hours, where so many seconds are hard to read. */
function waitWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds <= 120) return counted(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 120 ? counted(minutes, "minute") : counted(Math.ceil(minutes / 60), "hour");
}

/** Of a failure that may pass by itself, without the next action and the full stop. */
function happened(
  kind: "rate-limit" | "overloaded" | "network",
  facts: Facts,
  { vendor: { label }, baseUrl }: Context,
): string {
  const { status, codes, proxy } = facts;
  switch (kind) {
    case "rate-limit":
      return `${label} takes no more requests for now${quoted(facts)}`;
    case "overloaded":
      return `${label} is overloaded or failed${status === null ? "" : `, status ${status}`}${quoted(facts)}`;
    case "network":
      if (proxy !== null) return `${label} was not asked: ${proxy}`;
      return `The connection to ${label} (${baseUrl}) ${networkReason(codes)}`;
  }
}

/** The vendor's own sentence as it goes to the screen. */
function quoted({ said }: Facts): string {
  if (isUnseen(said)) return "";
  return ` (“${visibleText(ellipsize(said, longestShown))}”)`;
}

/** What is left of the answer, and what asks for it again. */
export function askAgain(hasBegun: boolean): string {
  return hasBegun ? "The text so far is kept; respond again to retry." : "Respond again to retry.";
}

function sentence(
  kind: RequestFailureKind,
  facts: Facts,
  context: Context,
  retryAfterMs: number | null,
): string {
  const { vendor, baseUrl, modelId, hasBegun = false } = context;
  const { label } = vendor;
  switch (kind) {
    case "auth":
      return keySentence(facts, context);
    case "rate-limit": {
      const wait = retryAfterMs === null ? "a moment" : waitWords(retryAfterMs);
      return `${happened(kind, facts, context)}. Wait ${wait} and respond again.`;
    }
    case "network":
      if (isServerDown(facts, context)) return serverDown(context);
      if (facts.proxy !== null) {
        return `${happened(kind, facts, context)}. Correct the variable, unset it, or name ${new URL(baseUrl).hostname} in NO_PROXY, start Neovim again, and respond again.`;
      }
      return `${happened(kind, facts, context)}. ${askAgain(hasBegun)}`;
    case "overloaded": {
      const wait = retryAfterMs === null ? "" : ` It asks to wait ${waitWords(retryAfterMs)}.`;
      return `${happened(kind, facts, context)}.${wait} ${askAgain(hasBegun)}`;
    }
    case "context-overflow":
      return `The chat is too long for ${modelId}${quoted(facts)}. Lower max_full_exchanges${/max_\w*tokens/.test(facts.said) ? " or max_tokens" : ""} in the header, shorten the transcript, or choose a model with a larger context, and respond again.`;
    case "not-found":
      return `${label} knows no model or address “${modelId}” at ${baseUrl}${quoted(facts)}. Correct model: in the header, or providers.${vendor.id}.base_url${addressHint(context)}, and respond again.`;
    case "invalid-request":
      return refusedSentence(facts, context);
    case "bad-stream":
      if (unreadCall.test(facts.said)) {
        return `${modelId} wrote a call that ${label} could not read${quoted(facts)}. No call is offered. ${askAgain(hasBegun)}`;
      }
      return `${label} sent something that cannot be read${quoted(facts)}. No call is offered. ${askAgain(hasBegun)}`;
    case "other":
      return isUnpaid(facts)
        ? `${label} did not answer${quoted(facts)}. Look at the account's billing and limits, then respond again.`
        : `${label} reported an error in place of an answer${quoted(facts)}. ${askAgain(hasBegun)}`;
    case "internal":
      return `Parley could not talk to ${label}: ${facts.ownMessage}. ${askAgain(hasBegun)} :Parley log has more.`;
  }
}

/** What is missing most often in the address of a server of one's own. */
function addressHint({ vendor, baseUrl }: Context): string {
  const isBare = URL.canParse(baseUrl) && new URL(baseUrl).pathname === "/";
  if (!isBare || vendor.apis[0] === "anthropic-messages") return "";
  return ` (most servers are asked at ${withoutEnd(baseUrl, "/")}/v1)`;
}

function keySentence(facts: Facts, { vendor, apiKey, keySource, modelId }: Context): string {
  const { label, id, keyVariable } = vendor;
  if (apiKey === null) {
    return `${label} asks for an API key, and there is none${quoted(facts)}. Set ${keyVariable} in the environment, or providers.${id}.api_key in the configuration, and respond again.`;
  }
  if (facts.status === 403 && !aboutKey.test(facts.said)) {
    return `${label} does not let this request in, status 403${quoted(facts)}. That may be the network or the country that you ask from, or the API key from ${keySource}, if it may not use ${modelId}. See which, and respond again.`;
  }
  return `${label} refused the API key from ${keySource}${quoted(facts)}. Put a key there that may use ${modelId}, and respond again.`;
}

function serverDown({ vendor: { label, startCommand }, baseUrl }: Context): string {
  const start =
    startCommand === undefined ? "Start the server" : `Start it with \`${startCommand}\``;
  return `Nothing listens at ${new URL(baseUrl).origin} (${label}). ${start}, and respond again.`;
}

function refusedSentence(facts: Facts, { vendor, baseUrl }: Context): string {
  const { label, id, baseUrlVariable } = vendor;
  if (facts.codes.includes("ERR_INVALID_URL")) {
    return `The address of ${label} is not one: ${baseUrl}. Correct providers.${id}.base_url or ${baseUrlVariable}.`;
  }
  const status = facts.status === null ? "" : `, status ${facts.status}`;
  if (facts.redirect !== null) {
    const place = facts.redirect === "" ? "another address" : facts.redirect;
    return `${label} (${baseUrl}) sent the request on to ${place}${status}, and it was not followed, because your key and the chat would go there. If that is the right server, write it into providers.${id}.base_url; if not, a login page of the network may be in between.`;
  }
  return `${label} refused the request${status}${quoted(facts)}. Nothing was lost; :Parley preview shows what was sent.`;
}
