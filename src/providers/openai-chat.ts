/** OpenAI's chat completions API, for every vendor that speaks it. Loaded on first use: it brings the SDK. */
import type { ModelRequest, StreamPart } from "../conversation/types.ts";
import type { Connection } from "./connection.ts";
import { createOpenAIClient } from "./openai-client.ts";
import { createOpenAIDecoder } from "./openai-decoder.ts";
import { toOpenAIRequest } from "./openai-request.ts";
import { streamParts } from "./stream.ts";

export function streamOpenAI(
  request: ModelRequest,
  connection: Connection,
  signal: AbortSignal,
): AsyncIterable<StreamPart> {
  return streamParts(
    (sending) =>
      createOpenAIClient(connection)
        .chat.completions.create(toOpenAIRequest(request, connection.vendor.compat), {
          signal: sending,
          timeout: connection.timeouts.firstByteMs,
        })
        .asResponse(),
    createOpenAIDecoder(connection.vendor.compat.reasoning.echo),
    connection,
    { modelId: request.model.id, signal },
  );
}
