/** The wire APIs: how each builds its request body, and the module that sends it, loaded on first use. */
import type { ModelRequest, StreamPart } from "../conversation/ports.ts";
import type { WireApiName } from "../conversation/settings/vendor-settings.ts";
import { toAnthropicRequest } from "./anthropic/anthropic-request.ts";
import type { Endpoint } from "./endpoint.ts";
import { toOpenAIRequest } from "./openai-chat/openai-request.ts";
import { toResponsesRequest } from "./openai-responses/openai-responses-request.ts";
import type { Vendor } from "./vendors/vendor.ts";

export type StreamWire = (
  request: ModelRequest,
  endpoint: Endpoint,
  signal: AbortSignal,
) => AsyncIterable<StreamPart>;

export interface WireApi {
  /** Returns exactly the body that is sent. */
  body(request: ModelRequest, vendor: Vendor): object;
  /** Loads the SDK. */
  load(): Promise<StreamWire>;
}

export const wireApis: Readonly<Record<WireApiName, WireApi>> = {
  "openai-chat": {
    body: (request, { compat }) => toOpenAIRequest(request, compat),
    load: () => import("./openai-chat/openai-chat.ts").then(({ streamOpenAI }) => streamOpenAI),
  },
  "openai-responses": {
    body: toResponsesRequest,
    load: () =>
      import("./openai-responses/openai-responses.ts").then(
        ({ streamResponses }) => streamResponses,
      ),
  },
  "anthropic-messages": {
    body: toAnthropicRequest,
    load: () =>
      import("./anthropic/anthropic-messages.ts").then(({ streamAnthropic }) => streamAnthropic),
  },
};
