/** OpenAI's Responses API, for every vendor that speaks it. Loaded on first use: it brings the SDK. */
import type { ModelRequest, StreamPart } from "../../conversation/ports.ts";
import type { Connection } from "../connection.ts";
import { createOpenAIClient } from "../openai-chat/openai-chat.ts";
import { streamParts } from "../stream/stream.ts";
import { createResponsesDecoder } from "./openai-responses-decoder.ts";
import { toResponsesRequest } from "./openai-responses-request.ts";

export function streamResponses(
  request: ModelRequest,
  connection: Connection,
  signal: AbortSignal,
): AsyncIterable<StreamPart> {
  return streamParts(
    (sending) =>
      createOpenAIClient(connection)
        .responses.create(toResponsesRequest(request, connection.vendor), {
          signal: sending,
          timeout: connection.timeouts.firstByteMs,
        })
        .asResponse(),
    createResponsesDecoder(),
    connection,
    { modelId: request.model.id, signal },
  );
}
