import { describe, expect, test } from "vitest";
import type { Message, ModelRequest } from "../../src/conversation/ports.ts";
import { toResponsesRequest } from "../../src/providers/openai-responses/openai-responses-request.ts";
import { findVendor } from "../../src/providers/vendors/vendors.ts";
import { checkResponsesInput } from "../support/model-server-responses-rules.ts";
import fc from "../support/property.ts";
import { requestArbitrary } from "./arbitrary-history.ts";
import { requestTo, user, webSearch } from "./parts.ts";
import { functionCall, message, reasoning, webSearchCall } from "./responses-stream-fixtures.ts";
import { result, turn } from "./turn.ts";

function bodyOf(messages: readonly Message[], fields: Partial<ModelRequest> = {}, model = "gpt-5") {
  const request = { ...requestTo("openai", model, messages), ...fields };
  return toResponsesRequest(request, findVendor("openai")!);
}

const openai = findVendor("openai")!;

describe("any history", () => {
  test("is one that the Responses API accepts, and is left as it was", () => {
    fc.assert(
      fc.property(requestArbitrary("openai"), (request) => {
        const copy = structuredClone(request);
        expect(checkResponsesInput(toResponsesRequest(request, openai))).toBeNull();
        expect(request).toEqual(copy);
      }),
      { numRuns: 1000 },
    );
  });

  test("begins as a longer one begins that goes on after it", () => {
    fc.assert(
      fc.property(requestArbitrary("openai"), (request) => {
        const begun = [...request.messages, user("and now?")];
        const { input } = toResponsesRequest({ ...request, messages: begun }, openai);
        const longer = { ...request, messages: [...begun, ...turn.slice(1)] };
        const next = toResponsesRequest(longer, openai).input;
        expect(next?.slice(0, input?.length)).toEqual(input);
      }),
    );
  });
});

const [asked, answered, results] = turn as readonly [Message, Message, Message];

describe("a Responses request", () => {
  test("is flat: text, calls and their outputs are items of their own", () => {
    expect(bodyOf(turn).input).toEqual([
      { role: "user", content: "prices?" },
      { role: "assistant", content: "I search." },
      { type: "function_call", call_id: "call_1", name: "web_search", arguments: '{"query": "x"}' },
      { type: "function_call", call_id: "call_2", name: "web_search", arguments: '{"query": "x"}' },
      { type: "function_call_output", call_id: "call_1", output: "$911" },
      { type: "function_call_output", call_id: "call_2", output: "Error: no" },
      { role: "assistant", content: "$911." },
      { role: "user", content: "thanks" },
    ]);
  });

  test("stores nothing, says its instructions, and that schemas are not strict", () => {
    const { $schema: _, ...parameters } = webSearch.inputSchema;
    expect(bodyOf([user("hi")])).toEqual({
      model: "gpt-5",
      instructions: "Be short.",
      input: [{ role: "user", content: "hi" }],
      tools: [
        {
          type: "function",
          name: "web_search",
          description: "Searches the web.",
          parameters,
          strict: false,
        },
      ],
      include: ["reasoning.encrypted_content"],
      store: false,
      stream: true,
    });
  });

  test("asks for encrypted thoughts only of models that think", () => {
    expect(bodyOf([user("hi")], {}, "gpt-4.1")).not.toHaveProperty("include");
  });

  test("carries what was chosen, as far as the model takes it", () => {
    const fields = {
      toolChoice: { tool: "web_search" },
      parallelToolCalls: false,
      maxOutputTokens: 500,
      sampling: { temperature: 0.5, top_p: 0.9 },
      cacheKey: "chat-1",
    };
    const chosen = {
      tool_choice: { type: "function", name: "web_search" },
      parallel_tool_calls: false,
      max_output_tokens: 500,
      prompt_cache_key: "chat-1",
    };
    expect(bodyOf([user("hi")], fields)).toMatchObject(chosen);
    expect(bodyOf([user("hi")], fields)).not.toHaveProperty("temperature");
    const sampled = { ...chosen, temperature: 0.5, top_p: 0.9 };
    expect(bodyOf([user("hi")], fields, "gpt-4.1")).toMatchObject(sampled);
  });

  test("says that a call failed above its images, too", () => {
    const image = { type: "image" as const, mime: "image/png", data: "aGk=" };
    const failed = { ...result("call_1", "", true), content: [image] };
    const input = bodyOf([asked, answered, { role: "tool", results: [failed] }]).input;
    expect(JSON.stringify(input)).toMatch(/"output":\[\{"type":"input_text","text":"Error: /);
  });

  test("has no id that is refused: too long, or of another item", () => {
    const stepOf = (id: string, call: string): Message[] => [
      {
        role: "assistant",
        content: [{ type: "tool-call", id: call, name: "web_search", arguments: "{}" }],
        state: {
          api: "openai-responses",
          items: [
            { ...reasoning, id },
            { ...functionCall(call, "{}"), id: `fc_${id}` },
          ],
        },
      },
      { role: "tool", results: [result(call, "found")] },
    ];
    const ids = ["rs_1", "rs_1", `rs_${"x".repeat(400)}`];
    const body = bodyOf([asked, ...ids.flatMap((id, index) => stepOf(id, `call_${index}`))]);
    expect(checkResponsesInput(body)).toBeNull();
    const items = body.input as unknown as readonly Record<string, unknown>[];
    const thoughts = items.filter(({ type }) => type === "reasoning");
    expect(thoughts.map(({ id }) => id)).toEqual(["rs_1", undefined, undefined]);
    expect(thoughts.every((each) => each.encrypted_content === reasoning.encrypted_content)).toBe(
      true,
    );
  });

  test("gives images of a question and of a result as parts", () => {
    const image = { type: "image" as const, mime: "image/png", data: "aGk=" };
    const sent = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,aGk=" };
    const first = { ...result("call_1", "seen"), content: [image] };
    const input = bodyOf([
      { role: "user", content: [{ type: "text", text: "see" }, image] },
      answered,
      { role: "tool", results: [first, result("call_2", "ok")] },
    ]).input;
    expect(input?.[0]).toEqual({
      role: "user",
      content: [{ type: "input_text", text: "see" }, sent],
    });
    expect(input?.[4]).toEqual({ type: "function_call_output", call_id: "call_1", output: [sent] });
  });
});

describe("the state of a response", () => {
  const said = message("I search.", { phase: "commentary" });
  const open = { arguments: null, call_id: null, name: null };
  const items = [
    reasoning,
    webSearchCall,
    said,
    { ...functionCall("x", ""), ...open },
    { ...functionCall("y", ""), ...open },
  ];
  const state = { api: "openai-responses", items };

  function echo(other: unknown) {
    const input = bodyOf([asked, { ...answered, state: other } as Message, results]).input;
    return input?.slice(1, -2);
  }

  test("brings its items back byte for byte, calls as the transcript has them", () => {
    const calls = ["call_1", "call_2"].map((id, index) => ({
      ...functionCall(index === 0 ? "x" : "y", '{"query": "x"}'),
      call_id: id,
    }));
    expect(JSON.stringify(echo(state))).toBe(
      JSON.stringify([reasoning, webSearchCall, said, ...calls]),
    );
  });

  test.each([
    ["of another API", { ...state, api: "anthropic-messages" }],
    ["that is no state", 5],
    ["with another number of calls", { ...state, items: items.slice(0, 4) }],
    ["that ends in reasoning", { ...state, items: [...items, reasoning] }],
    ["without items", { ...state, items: [] }],
    ["with items that are none", { ...state, items: [1] }],
  ])("%s is left out", (_, other) => {
    expect(echo(other)).toEqual(echo(undefined));
    expect(echo(other)).toHaveLength(3);
  });
});
