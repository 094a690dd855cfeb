/** Describes a failure for the user: what happened, what was kept, and what to do next. Pure. */

import type { Failure } from "../../conversation/ports.ts";
import { counted } from "../../shared/counted.ts";
import { ellipsize, visibleText } from "../../shared/visible.ts";
import { isUnseen } from "../../shared/well-formed.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import type { Vendor } from "../vendors/vendor.ts";
import { type FailedRequest, type FailureFacts, longestShown } from "./failure-facts.ts";
import { isServerDown, isUnpaid, type RequestFailureKind } from "./failure-kind.ts";
import { aboutKey, networkReason, tooManyTools, unreadCall } from "./failure-words.ts";

export function missingKey(vendor: Vendor): Failure {
  return {
    kind: "missing-key",
    message: `There is no API key for ${vendor.label}. Set ${vendor.keyVariable} in the environment, or providers.${vendor.id}.api_key in the configuration (a string, or a command as a list), and respond again.`,
    happened: `there is no API key; set ${vendor.keyVariable} in the environment, or give apiKey to openModel`,
  };
}

/** What happened, for a temporary failure, without the next action and the full stop. */
export function happened(
  kind: "rate-limit" | "overloaded" | "network",
  facts: FailureFacts,
  { vendor: { label }, baseUrl }: FailedRequest,
): string {
  const { status, codes, proxy } = facts;
  switch (kind) {
    case "rate-limit":
      return `${label} accepts no more requests for now${quoted(facts)}`;
    case "overloaded":
      return `${label} is overloaded or failed${status === null ? "" : `, status ${status}`}${quoted(facts)}`;
    case "network":
      if (proxy !== null) return `The request was not sent to ${label}: ${proxy}`;
      return `The connection to ${label} (${baseUrl}) ${networkReason(codes)}`;
  }
}

/** What a program cannot learn from the failure's kind and the vendor's text; null if these say enough. */
export function happenedForProgram(
  kind: RequestFailureKind,
  facts: FailureFacts,
  request: FailedRequest,
): string | null {
  const { label } = request.vendor;
  if (kind === "network") {
    return isServerDown(facts, request) ? nothingListens(request) : happened(kind, facts, request);
  }
  if (kind === "internal") return `Parley could not talk to ${label}: ${facts.ownMessage}`;
  if (kind === "auth" && request.apiKey === null) return noKey(facts, request);
  if (facts.codes.includes("ERR_INVALID_URL")) return noAddress(request);
  if (facts.redirect !== null) return `${redirected(facts, request)}, which was not followed`;
  return null;
}

/** In minutes or hours, if the number of seconds would be hard to read. */
function waitWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds <= 120) return counted(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 120 ? counted(minutes, "minute") : counted(Math.ceil(minutes / 60), "hour");
}

/** The vendor's own sentence, for the screen. */
function quoted({ said }: FailureFacts): string {
  if (isUnseen(said)) return "";
  return ` (“${visibleText(ellipsize(said, longestShown))}”)`;
}

/** Says what is kept of the answer, and how to retry. */
export function retryText(hasBegun: boolean): string {
  return hasBegun ? "The text so far is kept; respond again to retry." : "Respond again to retry.";
}

export function sentence(
  kind: RequestFailureKind,
  facts: FailureFacts,
  request: FailedRequest,
  retryAfterMs: number | null,
): string {
  const { vendor, baseUrl, modelId, hasBegun = false } = request;
  const { label } = vendor;
  switch (kind) {
    case "auth":
      return keySentence(facts, request);
    case "rate-limit": {
      const wait = retryAfterMs === null ? "a moment" : waitWords(retryAfterMs);
      return `${happened(kind, facts, request)}. Wait ${wait} and respond again.`;
    }
    case "network":
      if (isServerDown(facts, request)) return serverDown(request);
      if (facts.proxy !== null) {
        return `${happened(kind, facts, request)}. Correct the variable, unset it, or name ${new URL(baseUrl).hostname} in NO_PROXY, restart Neovim, and respond again.`;
      }
      return `${happened(kind, facts, request)}. ${retryText(hasBegun)}`;
    case "overloaded": {
      const wait = retryAfterMs === null ? "" : ` It asks to wait ${waitWords(retryAfterMs)}.`;
      return `${happened(kind, facts, request)}.${wait} ${retryText(hasBegun)}`;
    }
    case "context-overflow":
      return `The chat is too long for ${modelId}${quoted(facts)}. Lower max_full_exchanges${/max_\w*tokens/.test(facts.said) ? " or max_tokens" : ""} in the header, shorten the transcript, or choose a model with a larger context, and respond again.`;
    case "not-found":
      return `${label} has no model or address “${modelId}” at ${baseUrl}${quoted(facts)}. Correct model: in the header, or providers.${vendor.id}.base_url${addressHint(request)}, and respond again.`;
    case "invalid-request":
      return refusedSentence(facts, request);
    case "bad-stream":
      if (unreadCall.test(facts.said)) {
        return `${modelId} wrote a call that ${label} could not read${quoted(facts)}. Its calls were discarded. ${retryText(hasBegun)}`;
      }
      return `${label} sent something that cannot be read${quoted(facts)}. Any calls in it were discarded.${pageHint(facts)} ${retryText(hasBegun)}`;
    case "other":
      return isUnpaid(facts)
        ? `${label} did not answer${quoted(facts)}. Look at the account's billing and limits, then respond again.`
        : `${label} reported an error instead of an answer${quoted(facts)}. ${retryText(hasBegun)}`;
    case "internal":
      return `Parley could not talk to ${label}: ${facts.ownMessage}. ${retryText(hasBegun)} :Parley log has more.`;
  }
}

/** Networks in hotels and trains respond to every request with their own page and a success status. */
function pageHint({ said }: FailureFacts): string {
  return said.startsWith("a web page") ? " A login page of the network may be in between." : "";
}

/** The most common omission in a self-hosted server's address. */
function addressHint({ vendor, baseUrl }: FailedRequest): string {
  const isBare = URL.canParse(baseUrl) && new URL(baseUrl).pathname === "/";
  if (!isBare || vendor.apis[0] === "anthropic-messages") return "";
  return ` (most servers use ${withoutEnd(baseUrl, "/")}/v1)`;
}

/** Answers may still come from an address without a list. */
export function noModelList(request: FailedRequest): string {
  const { vendor, baseUrl } = request;
  return `It has no list of models at ${baseUrl}. If it does not answer either, correct providers.${vendor.id}.base_url${addressHint(request)}.`;
}

function noKey(facts: FailureFacts, { vendor: { label } }: FailedRequest): string {
  return `${label} needs an API key, but there is none${quoted(facts)}`;
}

function noAddress({ vendor: { label }, baseUrl }: FailedRequest): string {
  return `The address of ${label} is not valid: ${baseUrl}`;
}

function keySentence(facts: FailureFacts, request: FailedRequest): string {
  const { vendor, apiKey, keySource, modelId } = request;
  const { label, id, keyVariable } = vendor;
  if (apiKey === null) {
    return `${noKey(facts, request)}. Set ${keyVariable} in the environment, or providers.${id}.api_key in the configuration, and respond again.`;
  }
  if (facts.status === 403 && !aboutKey.test(facts.said)) {
    return `${label} rejected this request with status 403${quoted(facts)}. The cause may be your network or country, or an API key from ${keySource} that may not use ${modelId}. Find out which, and respond again.`;
  }
  return `${label} refused the API key from ${keySource}${quoted(facts)}. Put a key there that may use ${modelId}, and respond again.`;
}

function nothingListens({ vendor: { label }, baseUrl }: FailedRequest): string {
  return `Nothing listens at ${new URL(baseUrl).origin} (${label})`;
}

function redirected(facts: FailureFacts, { vendor: { label }, baseUrl }: FailedRequest): string {
  const status = facts.status === null ? "" : `, status ${facts.status}`;
  return `${label} (${baseUrl}) redirected the request to ${facts.redirect || "another address"}${status}`;
}

function serverDown(request: FailedRequest): string {
  const { startCommand } = request.vendor;
  const start =
    startCommand === undefined ? "Start the server" : `Start it with \`${startCommand}\``;
  return `${nothingListens(request)}. ${start}, and respond again.`;
}

function refusedSentence(facts: FailureFacts, request: FailedRequest): string {
  const { label, id, baseUrlVariable } = request.vendor;
  if (facts.codes.includes("ERR_INVALID_URL")) {
    return `${noAddress(request)}. Correct providers.${id}.base_url or ${baseUrlVariable}: it begins with http:// or https://.`;
  }
  const status = facts.status === null ? "" : `, status ${facts.status}`;
  if (facts.redirect !== null) {
    return `${redirected(facts, request)}; Parley did not follow, because your key and the chat would go there. If that is the right server, write it into providers.${id}.base_url; if not, a login page of the network may be in between.`;
  }
  const refused = `${label} refused the request${status}${quoted(facts)}.`;
  if (tooManyTools.test(facts.said)) {
    return `${refused} Choose fewer tools with tools: in the header, or have the model find those it needs with tool_search:, and respond again.`;
  }
  return `${refused} Nothing was lost; :Parley preview shows what was sent.`;
}
