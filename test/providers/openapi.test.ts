import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import type { Message, ReasoningEffort, ToolChoice } from "../../src/conversation/ports.ts";
import { toOpenAIRequest } from "../../src/providers/openai-chat/openai-request.ts";
import { toResponsesRequest } from "../../src/providers/openai-responses/openai-responses-request.ts";
import { fitRequest } from "../../src/providers/request/fit-request.ts";
import { vendors } from "../../src/providers/vendors/vendors.ts";
import fc from "../support/property.ts";
import { requestArbitrary } from "./arbitrary-history.ts";
import { requestTo } from "./parts.ts";
import { turn } from "./turn.ts";

// OpenAI's own description of its API, reduced to the requests; its licence lies beside it.
const text = readFileSync(new URL("../fixtures/openai-schemas.json", import.meta.url), "utf8");
// Its alternatives overlap: an item without a type is several of them at once.
const schemas = JSON.parse(text.replaceAll('"oneOf":', '"anyOf":'));
const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
ajv.addSchema(schemas, "openai");
const fitsChat = ajv.compile({ $ref: "openai#/$defs/CreateChatCompletionRequest" });
const fitsResponses = ajv.compile({ $ref: "openai#/$defs/CreateResponse" });

function misfits(body: unknown, fits = fitsChat) {
  return fits(body) ? [] : (fits.errors ?? []).map(({ instancePath }) => instancePath);
}

function withoutState(message: Message): Message {
  if (message.role !== "assistant") return message;
  const { state, ...rest } = message;
  return rest;
}

test("the schema finds what is wrong in a request", () => {
  const body = toOpenAIRequest(requestTo("openai", "gpt-5", turn));
  expect(misfits(body)).toEqual([]);
  expect(misfits({ ...body, messages: [] })).toContain("/messages");
  expect(misfits({ ...body, tool_choice: "any" })).toContain("/tool_choice");
  const call = { id: "c", type: "function", function: { name: "f", arguments: {} } };
  const messages = [{ role: "assistant", content: null, tool_calls: [call] }];
  expect(misfits({ ...body, messages })).not.toEqual([]);
  expect(misfits({ ...body, messages: [{ role: "tool", content: "x" }] })).not.toEqual([]);
  const input = [{ type: "function_call", call_id: "c", name: "f", arguments: {} }];
  expect(misfits({ model: "gpt-5", input }, fitsResponses)).not.toEqual([]);
});

test("any request to OpenAI fits its published schema", () => {
  const openai = vendors.get("openai")!;
  const settings = fc.record(
    {
      toolChoice: fc.constantFrom<ToolChoice>("auto", "required", "none", { tool: "web_search" }),
      parallelToolCalls: fc.boolean(),
      maxOutputTokens: fc.integer({ min: 1, max: 100_000 }),
      sampling: fc.constant({ temperature: 1.5, top_p: 0.5 }),
      reasoningEffort: fc.constantFrom<ReasoningEffort>("none", "high", "max"),
    },
    { requiredKeys: [] },
  );
  const id = fc.constantFrom(...openai.models);
  fc.assert(
    fc.property(requestArbitrary("openai"), settings, id, (history, set, id) => {
      const { request } = fitRequest(
        { ...history, ...set, model: { provider: "openai", id } },
        openai,
      );
      expect(misfits(toOpenAIRequest(request, openai.compat))).toEqual([]);
      // State goes back as the API made it, which the short ones of the arbitrary are not.
      const stateless = { ...request, messages: request.messages.map(withoutState) };
      expect(misfits(toResponsesRequest(stateless, openai), fitsResponses)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
