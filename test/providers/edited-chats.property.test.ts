/**
 * Chats as people leave them when they edit by hand (lines taken away, copied, moved, pasted from another chat, odd
 * characters) are histories that every vendor accepts, with state of each API in their steps.
 */
import { expect, test } from "vitest";
import type { Message, ModelName, ModelRequest } from "../../src/conversation/ports.ts";
import { buildMessages } from "../../src/conversation/request/build-messages.ts";
import { type LoadedFile, neededFiles } from "../../src/conversation/request/needed-files.ts";
import { createModels } from "../../src/providers/models.ts";
import { vendors } from "../../src/providers/vendors/vendors.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import type { Exchange, Step, Transcript } from "../../src/transcript/transcript.ts";
import { edited } from "../support/edited-chats.ts";
import { checkAnthropicMessages } from "../support/model-server-anthropic-rules.ts";
import { checkOpenAIMessages } from "../support/model-server-openai-rules.ts";
import { checkResponsesInput } from "../support/model-server-responses-rules.ts";
import fc from "../support/property.ts";
import { webSearch } from "./parts.ts";

const models: readonly ModelName[] = [
  ...[...vendors.values()].flatMap(({ id, models: [first = ""] }) => ({ provider: id, id: first })),
  { provider: "openai", id: "gpt-4.1" },
  { provider: "anthropic", id: "claude-sonnet-4-5" },
];
const all = createModels({ providers: {}, environment: {} });

const checks: Readonly<Record<string, (body: unknown, vendor: string) => string | null>> = {
  "openai-chat": checkOpenAIMessages,
  "openai-responses": checkResponsesInput,
  "anthropic-messages": checkAnthropicMessages,
};

/** As each API seals it, with ids that are always the same, as servers have them. */
const states: readonly ((calls: number) => unknown)[] = [
  () => undefined,
  (calls) => ({
    api: "anthropic-messages",
    blocks: [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      ...Array.from({ length: calls }, () => ({ type: "tool_use" })),
    ],
  }),
  (calls) => ({
    api: "openai-responses",
    items: [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZW5j" },
      ...Array.from({ length: calls }, () => ({
        type: "function_call",
        id: "fc_1",
        call_id: null,
        name: null,
        arguments: null,
      })),
    ],
  }),
  (calls) => ({
    api: "openai-chat",
    message: {
      reasoning_content: "Hm.",
      reasoning_details: [{ type: "reasoning.text", text: "x" }],
    },
    calls: Array.from({ length: calls }, () => ({
      extra_content: { google: { thought_signature: "c2ln" } },
    })),
  }),
];

function messagesOf(transcript: Transcript, exchange: Exchange, state: (calls: number) => unknown) {
  const { names, copies } = neededFiles(transcript, exchange, { maxFullExchanges: 2 });
  const files = new Map(
    names.map((name): [string, LoadedFile] => [
      name,
      /\.(png|jpe?g)$/.test(name)
        ? { kind: "image", mime: "image/png", data: "AAAA" }
        : { kind: "text", text: "a\0b\ud83d" },
    ]),
  );
  const openState = ({ calls }: Step) => state(calls.length);
  return buildMessages(transcript, { exchange, files, copies, maxFullExchanges: 2, openState })
    .messages;
}

const how = fc.record({
  state: fc.constantFrom(...states),
  tools: fc.constantFrom([], [webSearch]),
  system: fc.constantFrom("", "Be short.", "a\0b"),
  toolProtocol: fc.constantFrom("auto", "smiley"),
});

/** Why a vendor refuses them; null when all accept them. */
function refusal(messages: readonly Message[], asked: Omit<ModelRequest, "model" | "messages">) {
  for (const model of models) {
    const sent = all.wire({ ...asked, model, messages });
    if ("failure" in sent) return sent.failure.message;
    const { body, api, provider } = sent;
    const breach = checks[api]?.(body, provider) ?? null;
    if (breach !== null) return `${provider}/${model.id}: ${breach}`;
  }
  return null;
}

test("every vendor accepts what is made of them", () => {
  fc.assert(
    fc.property(edited, how, (text, { state, ...asked }) => {
      const transcript = parseTranscript(text);
      for (const exchange of transcript.exchanges.slice(-2)) {
        expect(refusal(messagesOf(transcript, exchange, state), asked)).toBeNull();
      }
    }),
    { numRuns: 300 },
  );
});
