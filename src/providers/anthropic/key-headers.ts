/** The headers that carry a key to servers of Anthropic's API. Pure. */
import type { Endpoint } from "../endpoint.ts";

/** Those that a person's own environment names; the SDK adds them, and they win. */
const ownKey = /^\s*x-api-key\s*:/im;

/**
 * What carries the key beside `Authorization`. Anthropic's own address takes one of the two, by the version of its API.
 * Servers and gateways that speak it take one and refuse the other (QwenLM/qwen-code#4323, openclaw/openclaw#29169), so
 * they get both.
 */
export function olderKeyHeader({
  apiKey,
  baseUrl,
  environment,
}: Pick<Endpoint, "apiKey" | "baseUrl" | "environment">): Readonly<Record<string, string>> {
  if (apiKey === null || isAnthropics(baseUrl)) return {};
  return ownKey.test(environment.ANTHROPIC_CUSTOM_HEADERS ?? "") ? {} : { "X-Api-Key": apiKey };
}

/** Of requests in the first version of the API, which does not take a key as `Authorization`. */
export function olderKeyHeaders({
  apiKey,
  baseUrl,
}: Pick<Endpoint, "apiKey" | "baseUrl">): Readonly<Record<string, string>> {
  if (apiKey === null) return {};
  const bearer = isAnthropics(baseUrl) ? {} : { Authorization: `Bearer ${apiKey}` };
  return { "X-Api-Key": apiKey, ...bearer };
}

function isAnthropics(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname === "api.anthropic.com";
}
