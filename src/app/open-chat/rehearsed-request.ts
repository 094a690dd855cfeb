/** What the first request of a chat is rehearsed with. */
import type { ModelName, ModelRequest } from "../../conversation/ports.ts";
import { buildMessages } from "../../conversation/request/build-messages.ts";
import { estimateSize } from "../../conversation/request/request-size.ts";
import type { ChatSettings } from "../../conversation/settings/chat-settings.ts";
import type { Transcript } from "../../transcript/transcript.ts";

/** Exchanges that are enough to run what is run for each, and few enough to take no time. */
const rehearsedExchanges = 30;

/** As the first request of a chat, made of its first exchanges: without files and tools, so nothing is read or started. */
export function rehearsedRequest(
  transcript: Transcript,
  { max_full_exchanges: maxFullExchanges, system_prompt: system }: ChatSettings,
  model: ModelName,
): ModelRequest {
  const exchange = transcript.exchanges[rehearsedExchanges] ?? transcript.exchanges.at(-1);
  const built =
    exchange && buildMessages(transcript, { exchange, files: new Map(), maxFullExchanges });
  const request = { model, messages: built?.messages ?? [], tools: [], system };
  estimateSize(request);
  return request;
}
