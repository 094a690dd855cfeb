/** OpenAI's own address on the wire, reached by a proxy so that no network is needed: no request is refused there. */
import { expect, test } from "vitest";
import { createModels } from "../../../src/providers/models.ts";
import { ask, callsOf, requestTo, textOf, user } from "../parts.ts";
import { serve } from "../served.ts";
import { result } from "../turn.ts";

const call = { id: "call_1", name: "web_search", arguments: '{"query":"x"}' };

test.each([
  ["gpt-5.5", "responses"],
  ["gpt-5.4-mini", "responses"],
  ["gpt-4.1", "openai"],
])("%s with tools uses %s, without a refusal, through a whole turn", async (id, api) => {
  const server = await serve({ text: "I search.", calls: [call] }, { text: "Found." });
  const models = createModels({
    providers: { openai: { base_url: "http://api.openai.com/v1" } },
    environment: { OPENAI_API_KEY: "sk-test-openai-key", HTTP_PROXY: server.url },
  });
  const question = user("Search.");
  const first = await ask(models, requestTo("openai", id, [question]));
  expect(callsOf(first)).toEqual([call]);
  const last = first.at(-1);
  const state = last?.type === "finish" ? last.state : undefined;
  const answer = {
    role: "assistant",
    content: [
      { type: "text", text: textOf(first) },
      { type: "tool-call", ...call },
    ],
    ...(state === undefined ? {} : { state }),
  } as const;
  const messages = [
    question,
    answer,
    { role: "tool", results: [result("call_1", "x is y")] },
  ] as const;
  const second = await ask(models, requestTo("openai", id, messages));
  expect(textOf(second)).toBe("Found.");
  expect(server.requests.map((each) => [each.api, each.violation])).toEqual([
    [api, null],
    [api, null],
  ]);
  expect(server.requests.map(({ headers }) => headers.host)).toEqual([
    "api.openai.com",
    "api.openai.com",
  ]);
  if (api === "responses") {
    for (const { body } of server.requests) {
      expect(body.store).toBe(false);
      expect(body).not.toHaveProperty("previous_response_id");
    }
  }
});
