/** OpenAI's Responses API, for every vendor that has it. Loaded on first use, since it loads the SDK. */
import type { ModelRequest, StreamPart } from "../../conversation/ports.ts";
import type { Endpoint } from "../endpoint.ts";
import { createOpenAIClient } from "../openai-chat/openai-chat.ts";
import { streamParts } from "../stream/stream.ts";
import { streamingPost } from "../vendor-fetch.ts";
import { needsThoughts } from "../vendors/compat.ts";
import { createResponsesDecoder } from "./openai-responses-decoder.ts";
import { toResponsesRequest } from "./openai-responses-request.ts";

export function streamResponses(
  request: ModelRequest,
  endpoint: Endpoint,
  signal: AbortSignal,
): AsyncIterable<StreamPart> {
  return streamParts(
    (sending) =>
      createOpenAIClient(endpoint)
        .post(
          "/responses",
          streamingPost(toResponsesRequest(request, endpoint.vendor), endpoint, sending),
        )
        .asResponse(),
    createResponsesDecoder({
      keepsThoughts: needsThoughts(endpoint.vendor.compat, request.model.id),
    }),
    endpoint,
    { modelId: request.model.id, signal },
  );
}
