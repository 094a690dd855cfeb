/** Builds the bodies of requests for programs that send them on their own; leaves out what the model does not take. */
import type { ModelRequest } from "../conversation/ports.ts";
import { toAnthropicRequest as anthropicBody } from "../providers/anthropic/anthropic-request.ts";
import { toOpenAIRequest as chatBody } from "../providers/openai-chat/openai-request.ts";
import { toResponsesRequest as responsesBody } from "../providers/openai-responses/openai-responses-request.ts";
import { fitRequest } from "../providers/request/fit-request.ts";
import { findVendor } from "../providers/vendors/vendors.ts";

/** The request as the vendor of the model takes it; unchanged for an unknown vendor. */
function fitted(request: ModelRequest): ModelRequest {
  const vendor = findVendor(request.model.provider);
  return vendor === null ? request : fitRequest(request, vendor).request;
}

/** The body of a chat completions request. */
export function toOpenAIRequest(request: ModelRequest) {
  return chatBody(fitted(request));
}

/** The body of a messages request. */
export function toAnthropicRequest(request: ModelRequest) {
  return anthropicBody(fitted(request));
}

/** The body of a request of OpenAI's Responses; for an unknown vendor, as OpenAI takes it. */
export function toResponsesRequest(request: ModelRequest) {
  const vendor = findVendor(request.model.provider) ?? findVendor("openai");
  if (vendor === null) throw new TypeError("OpenAI is not in the table.");
  return responsesBody(fitted(request), vendor);
}
