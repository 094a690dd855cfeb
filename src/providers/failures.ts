/**
 * Errors of SDKs, of the network and of providers as one of a small set of kinds, with a sentence for a person
 * and the next action. Read by shape, not by class, so that no SDK has to be loaded for it. Pure.
 */

import type { Failure, FailureKind } from "../conversation/ports.ts";
import { given } from "../shared/given.ts";
import { isObject, messageOf, parseJson } from "../shared/json.ts";
import type { Connection } from "./connection.ts";
import { isBlank } from "./text.ts";
import type { Vendor } from "./vendors/vendor.ts";

interface Context extends Pick<Connection, "vendor" | "apiKey" | "keySource" | "baseUrl"> {
  readonly modelId: string;
}

/** What a request can fail with; the other kinds are told where they arise. */
type RequestFailureKind = Exclude<
  FailureKind,
  "missing-key" | "refused" | "idle" | "aborted" | "unknown-model"
>;

/** What can be read of an error. */
interface Facts {
  readonly status: number | null;
  /** The provider's own word, such as `overloaded_error` or `insufficient_quota`. */
  readonly type: string;
  /** The provider's sentence, without secrets; empty when it sent none. */
  readonly said: string;
  /** Of an error that came from neither a provider nor the network, its own message. */
  readonly ownMessage: string;
  /** Codes such as `ECONNREFUSED` of the error and its causes. */
  readonly codes: readonly string[];
  readonly headers: Headers | null;
}

const overflow =
  /context.{0,20}(length|window)|maximum context|prompt is too long|too many (input )?tokens|input is too long|exceeds? the (model's )?(maximum|available).{0,30}(tokens|context)|reduce the length/i;

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
  const retryAfterMs = retryAfter(facts.headers);
  const hide = (text: string) => redact(text, secretsOf(context));
  return {
    kind,
    message: hide(sentence(kind, facts, context, retryAfterMs)),
    ...given({
      status: facts.status,
      requestId: requestId || null,
      retryAfterMs,
      retryReason: mayRetry(kind, facts) ? hide(happened(kind, facts, context)) : null,
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
  { codes, headers }: Facts,
): kind is "rate-limit" | "overloaded" | "network" {
  if (headers?.get("x-should-retry") === "false") return false;
  if (kind === "network") return codes.some((code) => unconnected.has(code));
  return kind === "rate-limit" || kind === "overloaded";
}

function secretsOf({ apiKey }: Context): readonly string[] {
  return apiKey === null ? [] : [apiKey];
}

/** The text without the key, and without anything that looks like one. */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length > 3);
  const hidden = known.reduce((rest, secret) => rest.replaceAll(secret, "[key]"), text);
  return hidden
    .replace(/\b(?:sk|pk|xai|gsk|csk|key)-[\w*.-]{6,}/gi, "[key]")
    .replace(/\bBearer\s+\S+/gi, "Bearer [key]")
    .replace(/\/\/[^/\s@]+@/g, "//[key]@");
}

function factsOf(error: unknown, context: Context): Facts {
  const body = isObject(error) ? error.error : undefined;
  // OpenAI's SDK keeps the inner object of an error body, Anthropic's the whole body.
  const detail = isObject(body) && isObject(body.error) ? body.error : body;
  const status = isObject(error) && typeof error.status === "number" ? error.status : null;
  const words = isObject(detail) ? [detail.type, detail.code] : [];
  const said = isObject(detail) && typeof detail.message === "string" ? detail.message : "";
  return {
    status,
    type: words.filter((word) => typeof word === "string").join(" "),
    said: shorten(redact(innerMessage(said), secretsOf(context))),
    ownMessage: shorten(messageOf(error)).replace(/\.$/, ""),
    codes: codesOf(error),
    headers: isObject(error) && error.headers instanceof Headers ? error.headers : null,
  };
}

/** Proxies put the provider's whole answer into their own message as JSON. */
function innerMessage(text: string): string {
  const value = text.startsWith("{") ? parseJson(text) : undefined;
  const inner = isObject(value) && isObject(value.error) ? value.error.message : undefined;
  return typeof inner === "string" ? inner : text;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

function codesOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const code = "code" in current ? current.code : undefined;
    // Providers name their errors in lower case, the system and its sockets in upper case.
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code)) codes.push(code);
    current = current.cause;
  }
  return codes;
}

function kindOf({ status, type, said, codes }: Facts, error: unknown): RequestFailureKind {
  if (overflow.test(`${type} ${said}`) || status === 413) return "context-overflow";
  if (/insufficient_quota|billing/.test(type) || status === 402) return "other";
  if (status === 401 || status === 403 || /authentication|permission/.test(type)) return "auth";
  if (status === 429 || /rate_limit/.test(type)) return "rate-limit";
  if (/overloaded|api_error|server_error|timeout_error/.test(type)) return "overloaded";
  if (status !== null && (status >= 500 || status === 408 || status === 409)) return "overloaded";
  if (status === 404 || /not_found/.test(type)) return "not-found";
  if (status !== null || /invalid_request/.test(type)) return "invalid-request";
  if (codes.includes("ERR_INVALID_URL")) return "invalid-request";
  // A provider that tells a failure without a name for it, in the middle of its stream.
  if (said !== "") return "overloaded";
  if (error instanceof SyntaxError) return "bad-stream";
  return codes.length > 0 || isConnectionError(error) ? "network" : "internal";
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^(terminated|fetch failed|connection error|request timed out|premature close)/i.test(
    error.message,
  );
}

/** In milliseconds; null when the provider did not say. */
function retryAfter(headers: Headers | null): number | null {
  const exact = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (exact >= 0) return exact;
  const text = headers?.get("retry-after") ?? "";
  if (text === "") return null;
  const seconds = Number(text);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1000;
  return milliseconds >= 0 ? milliseconds : null;
}

/** Of a failure that may pass by itself, without the next action and the full stop. */
function happened(
  kind: "rate-limit" | "overloaded" | "network",
  { said, status, codes }: Facts,
  { vendor: { label }, baseUrl }: Context,
): string {
  const words = isBlank(said) ? "" : ` (“${said}”)`;
  switch (kind) {
    case "rate-limit":
      return `${label} takes no more requests for now${words}`;
    case "overloaded":
      return `${label} is overloaded or has a failure of its own${status === null ? "" : `, status ${status}`}${words}`;
    case "network":
      return `The connection to ${label} (${baseUrl}) ${networkReason(codes)}`;
  }
}

function sentence(
  kind: RequestFailureKind,
  facts: Facts,
  context: Context,
  retryAfterMs: number | null,
): string {
  const { vendor, apiKey, keySource, baseUrl, modelId } = context;
  const { label } = vendor;
  const said = isBlank(facts.said) ? "" : ` (“${facts.said}”)`;
  switch (kind) {
    case "auth":
      if (apiKey === null) {
        return `${label} asks for an API key, and there is none${said}. Set ${vendor.keyVariable} in the environment, or providers.${vendor.id}.api_key in the configuration, and respond again.`;
      }
      return `${label} refused the API key from ${keySource}${said}. Put a key there that may use ${modelId}, and respond again.`;
    case "rate-limit": {
      const wait = retryAfterMs === null ? "a moment" : `${Math.ceil(retryAfterMs / 1000)} seconds`;
      return `${happened(kind, facts, context)}. Wait ${wait} and respond again.`;
    }
    case "overloaded":
    case "network":
      return `${happened(kind, facts, context)}. The text so far is kept; respond asks again.`;
    case "context-overflow":
      return `The chat is too long for ${modelId}${said}. Lower max_full_exchanges in the header, shorten the transcript, or choose a model with a larger context, and respond again.`;
    case "not-found":
      return `${label} knows no model or address “${modelId}” at ${baseUrl}${said}. Correct model: in the header, or providers.${vendor.id}.base_url, and respond again.`;
    case "invalid-request":
      return facts.codes.includes("ERR_INVALID_URL")
        ? `The address of ${label} is not one: ${baseUrl}. Correct providers.${vendor.id}.base_url or ${vendor.baseUrlVariable}.`
        : `${label} refused the request${facts.status === null ? "" : `, status ${facts.status}`}${said}. Nothing was lost; :Parley preview shows what was sent.`;
    case "bad-stream":
      return `${label} sent something that cannot be read. The text so far is kept, no call is offered; respond asks again.`;
    case "other":
      return `${label} did not answer${said}. Look at the account's billing and limits, then respond again.`;
    case "internal":
      return `Parley could not speak with ${label}: ${facts.ownMessage}. The text so far is kept; :Parley log has more.`;
  }
}

const networkReasons: readonly (readonly [code: RegExp, reason: string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, "could not be made: the name was not found. Look at the network"],
  [/ECONNREFUSED/, "was refused: nothing listens there"],
  [/ENETUNREACH|EHOSTUNREACH/, "could not be made: the network does not reach it"],
  [/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/, "is not trusted: its certificate was not accepted"],
  [/TIMEDOUT|TIMEOUT/, "timed out"],
];

function networkReason(codes: readonly string[]): string {
  const found = networkReasons.find(([code]) => codes.some((each) => code.test(each)));
  return found?.[1] ?? "broke off";
}
