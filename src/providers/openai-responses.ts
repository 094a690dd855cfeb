/** OpenAI's Responses API, for every vendor that speaks it. Loaded on first use: it brings the SDK. */
import OpenAI from "openai";
import type { ModelRequest, StreamPart } from "../conversation/types.ts";
import type { Connection } from "./connection.ts";
import { createFetch } from "./create-fetch.ts";
import { createResponsesDecoder } from "./openai-responses-decoder.ts";
import { toResponsesRequest } from "./openai-responses-request.ts";
import { streamParts } from "./stream.ts";

export function streamResponses(
  request: ModelRequest,
  connection: Connection,
  signal: AbortSignal,
): AsyncIterable<StreamPart> {
  const { environment } = connection;
  return streamParts(
    (sending) => {
      const client = new OpenAI({
        apiKey: connection.apiKey ?? "none",
        // A server without a key gets no header for one.
        ...(connection.apiKey === null ? { defaultHeaders: { Authorization: null } } : {}),
        adminAPIKey: null,
        organization: environment.OPENAI_ORG_ID ?? null,
        project: environment.OPENAI_PROJECT_ID ?? null,
        webhookSecret: null,
        baseURL: connection.baseUrl,
        maxRetries: 0,
        fetch: createFetch(connection.environment),
        // The SDK would write what the provider sent, whole, to the console.
        logLevel: "off",
      });
      return client.responses
        .create(toResponsesRequest(request, connection.vendor), {
          signal: sending,
          timeout: connection.timeouts.firstByteMs,
        })
        .asResponse();
    },
    createResponsesDecoder(),
    connection,
    { modelId: request.model.id, signal },
  );
}
