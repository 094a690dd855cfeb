/** Anthropic's messages API. Loaded on first use, since it loads the SDK. */

import Anthropic from "@anthropic-ai/sdk";
import type { ModelRequest, StreamPart } from "../../conversation/ports.ts";
import type { Endpoint } from "../endpoint.ts";
import { withFields } from "../request/request-extras.ts";
import { streamParts } from "../stream/stream.ts";
import { sdkFetch, standardFetch, streamingPost, withOwnHeaders } from "../vendor-fetch.ts";
import { createAnthropicDecoder } from "./anthropic-decoder.ts";
import { toAnthropicRequest } from "./anthropic-request.ts";
import { cloudClient, cloudOptions } from "./cloud-client.ts";
import { olderKeyHeader } from "./key-headers.ts";

export function streamAnthropic(
  request: ModelRequest,
  endpoint: Endpoint,
  signal: AbortSignal,
): AsyncIterable<StreamPart> {
  return streamParts(
    (sending) => {
      const { cloud, extras } = endpoint;
      const shared = {
        maxRetries: 0,
        // The SDK would write everything that the provider sent to the console.
        logLevel: "off",
        openTelemetry: false,
      } as const;
      const asked = toAnthropicRequest(request, endpoint.vendor);
      if (cloud !== undefined) {
        const Client = cloudClient(cloud);
        if ("failure" in Client) throw new Error(Client.failure.message);
        const options = {
          ...shared,
          ...cloudOptions(cloud, endpoint.apiKey, extras),
          fetch: standardFetch({ ...endpoint, extras: {} }),
        };
        const client = withOwnHeaders(endpoint, () => new Client(options));
        const how = { signal: sending, timeout: endpoint.timeouts.firstByteMs };
        return client.messages.create(withFields(asked, extras), how).asResponse();
      }
      const options = {
        ...shared,
        apiKey: endpoint.apiKey ?? "none",
        // Without a key, no authorization header is sent.
        defaultHeaders:
          endpoint.apiKey === null ? { Authorization: null } : olderKeyHeader(endpoint),
        webhookKey: null,
        baseURL: endpoint.baseUrl,
        fetch: sdkFetch(endpoint),
      };
      const client = withOwnHeaders(endpoint, () => new Anthropic(options));
      return client.post("/v1/messages", streamingPost(asked, endpoint, sending)).asResponse();
    },
    createAnthropicDecoder(),
    endpoint,
    { modelId: request.model.id, signal },
  );
}
