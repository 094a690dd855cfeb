/** The headers that carry the key for servers with Anthropic's API. Pure. */
import type { Endpoint } from "../endpoint.ts";

/** Matches the user's own key header in the environment; the SDK adds it, and it takes precedence. */
const ownKey = /^\s*x-api-key\s*:/im;

/**
 * The key's header in addition to `Authorization`. Anthropic's own address accepts one of the two, depending on the
 * API version. Other servers and gateways accept one and refuse the other (QwenLM/qwen-code#4323,
 * openclaw/openclaw#29169), so they get both.
 */
export function olderKeyHeader({
  apiKey,
  baseUrl,
  environment,
}: Pick<Endpoint, "apiKey" | "baseUrl" | "environment">): Readonly<Record<string, string>> {
  if (apiKey === null || isAnthropics(baseUrl)) return {};
  return ownKey.test(environment.ANTHROPIC_CUSTOM_HEADERS ?? "") ? {} : { "X-Api-Key": apiKey };
}

/** For requests to the API's first version, which does not accept a key as `Authorization`. */
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
