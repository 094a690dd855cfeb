/**
 * Rehearses a first request without sending it, while the user reads the chat: Node's client and the SDK compile most
 * of their code during the first request, which delayed it by twenty milliseconds.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { StreamPart } from "../../conversation/ports.ts";
import type { WireApiName } from "../../conversation/settings/vendor-settings.ts";
import { type JsonObject, stringOf } from "../../shared/json.ts";
import { defaultTimeouts, type Endpoint } from "../endpoint.ts";
import { hasAsked } from "../vendor-fetch.ts";

/** Milliseconds after a chat is opened, so that a question right away does not wait for the rehearsal. */
const readingMs = 300;

const rehearsed = new Set<WireApiName>();

/**
 * Sends nothing, reads no key and learns nothing. Runs once for each API, and not if a vendor has been asked already.
 * Rejects if the answer could not be read.
 */
export async function rehearse(
  ask: (endpoint: Endpoint) => AsyncIterable<StreamPart>,
  { vendor, api, baseUrl }: Pick<Endpoint, "vendor" | "api" | "baseUrl">,
): Promise<void> {
  const { createRehearsedFetch } = await import("../../net/rehearsed-fetch.ts");
  await delay(readingMs, undefined, { ref: false });
  if (hasAsked() || rehearsed.has(api)) return;
  rehearsed.add(api);
  const endpoint: Endpoint = {
    vendor,
    api,
    apiKey: "-",
    keySource: "-",
    baseUrl,
    extras: {},
    environment: {},
    timeouts: defaultTimeouts,
    send: createRehearsedFetch(answers[api]),
  };
  for await (const part of ask(endpoint)) {
    if (part.type === "error") throw new Error(part.failure.message);
  }
}

/** The shortest complete answer of each API. */
const answers: Readonly<Record<WireApiName, string>> = {
  "openai-chat": events([
    { choices: [{ index: 0, delta: { content: "-" } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    "[DONE]",
  ]),
  "openai-responses": events([
    { type: "response.created", response: { id: "-", status: "in_progress", output: [] } },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "-" },
    { type: "response.completed", response: { id: "-", status: "completed", output: [] } },
  ]),
  "anthropic-messages": events([
    { type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "-" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ]),
};

function events(list: readonly (string | JsonObject)[]): string {
  const texts = list.map((event) =>
    typeof event === "string"
      ? `data: ${event}`
      : `event: ${stringOf(event.type) ?? "message"}\ndata: ${JSON.stringify(event)}`,
  );
  return texts.map((text) => `${text}\n\n`).join("");
}
