/** The request that is used to rehearse the first real one of a chat. */
import type { ModelName, ModelRequest } from "../../conversation/ports.ts";
import { buildMessages } from "../../conversation/request/build-messages.ts";
import { estimateSize } from "../../conversation/request/request-size.ts";
import type { ChatSettings } from "../../conversation/settings/chat-settings.ts";
import type { Transcript } from "../../transcript/transcript.ts";

/** Enough exchanges to run the code that runs for each, and few enough to take no time. */
const rehearsedExchanges = 30;

/** Like the first request of a chat, from its first exchanges: no files and tools, so nothing is read or started. */
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
