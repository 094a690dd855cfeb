/** OpenAI's chat completions API, for every vendor that has it. Loaded on first use, since it loads the SDK. */

import OpenAI from "openai";
import type { ModelRequest, StreamPart } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import type { Endpoint } from "../endpoint.ts";
import { streamParts } from "../stream/stream.ts";
import { sdkFetch, streamingPost, withOwnHeaders } from "../vendor-fetch.ts";
import { createOpenAIDecoder } from "./openai-decoder.ts";
import { toOpenAIRequest } from "./openai-request.ts";

export function streamOpenAI(
  request: ModelRequest,
  endpoint: Endpoint,
  signal: AbortSignal,
): AsyncIterable<StreamPart> {
  return streamParts(
    (sending) =>
      createOpenAIClient(endpoint)
        .post(
          "/chat/completions",
          streamingPost(toOpenAIRequest(request, endpoint.vendor.compat), endpoint, sending),
        )
        .asResponse(),
    createOpenAIDecoder(endpoint.vendor.compat.reasoning, endpoint.learn ?? (() => {})),
    endpoint,
    { modelId: request.model.id, signal },
  );
}

export function createOpenAIClient(endpoint: Endpoint): OpenAI {
  const { vendor, apiKey, baseUrl, environment } = endpoint;
  // Other vendors must not get the user's OpenAI account.
  const account = vendor.id === "openai" ? environment : {};
  const options = {
    apiKey: apiKey ?? "none",
    // Without a key, no authorization header is sent.
    ...given({ defaultHeaders: apiKey === null ? { Authorization: null } : null }),
    adminAPIKey: null,
    organization: account.OPENAI_ORG_ID ?? null,
    project: account.OPENAI_PROJECT_ID ?? null,
    webhookSecret: null,
    baseURL: baseUrl,
    maxRetries: 0,
    fetch: sdkFetch(endpoint),
    // The SDK would write everything that the provider sent to the console.
    logLevel: "off",
  } as const;
  return withOwnHeaders(endpoint, () => new OpenAI(options));
}
