/** Anthropic's messages API. Loaded on first use: it brings the SDK. */

import Anthropic from "@anthropic-ai/sdk";
import type { ModelRequest, StreamPart } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import type { Connection } from "../connection.ts";

import { streamParts } from "../stream/stream.ts";
import { createFetch } from "../vendor-fetch.ts";
import { createAnthropicDecoder } from "./anthropic-decoder.ts";
import { toAnthropicRequest } from "./anthropic-request.ts";

export function streamAnthropic(
  request: ModelRequest,
  connection: Connection,
  signal: AbortSignal,
): AsyncIterable<StreamPart> {
  return streamParts(
    (sending) => {
      const client = new Anthropic({
        apiKey: connection.apiKey ?? "none",
        // A server without a key gets no header for one.
        ...given({ defaultHeaders: connection.apiKey === null ? { Authorization: null } : null }),
        webhookKey: null,
        baseURL: connection.baseUrl,
        maxRetries: 0,
        fetch: createFetch(connection),
        // The SDK would write what the provider sent, whole, to the console.
        logLevel: "off",
        openTelemetry: false,
      });
      return client.messages
        .create(toAnthropicRequest(request, connection.vendor), {
          signal: sending,
          timeout: connection.timeouts.firstByteMs,
        })
        .asResponse();
    },
    createAnthropicDecoder(),
    connection,
    { modelId: request.model.id, signal },
  );
}
