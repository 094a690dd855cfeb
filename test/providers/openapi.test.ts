import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ReasoningEffort, ToolChoice } from "../../src/conversation/types.ts";
import { fitRequest } from "../../src/providers/fit-request.ts";
import { toOpenAIRequest } from "../../src/providers/openai-request.ts";
import { vendors } from "../../src/providers/vendors.ts";
import { requestArbitrary } from "./arbitrary-history.ts";
import { requestTo } from "./parts.ts";
import { turn } from "./turn.ts";

// OpenAI's own description of its API, reduced to the requests; its licence lies beside it.
const schemas = JSON.parse(
  readFileSync(new URL("../fixtures/openai-schemas.json", import.meta.url), "utf8"),
);
const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
ajv.addSchema(schemas, "openai");
const fitsChat = ajv.compile({ $ref: "openai#/$defs/CreateChatCompletionRequest" });

function misfits(body: unknown) {
  return fitsChat(body) ? [] : (fitsChat.errors ?? []).map(({ instancePath }) => instancePath);
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
});

test("any chat completions request to OpenAI fits its published schema", () => {
  const openai = vendors.get("openai")!;
  const settings = fc.record(
    {
      toolChoice: fc.constantFrom<ToolChoice>("auto", "required", "none", { tool: "web_search" }),
      parallelToolCalls: fc.boolean(),
      maxOutputTokens: fc.integer({ min: 1, max: 100_000 }),
      temperature: fc.constant(1.5),
      topP: fc.constant(0.5),
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
    }),
    { numRuns: 300 },
  );
});
