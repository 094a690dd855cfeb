import type { Message, ModelRequest } from "../../src/conversation/ports.ts";
import fc from "../support/property.ts";
import { webSearch } from "./parts.ts";

/** Text with everything that a provider may stumble over: nothing, blanks, halves of pairs, marks. */
const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", " ", "\n\t", "\u0007", "\uD83D", "a\uDE00b", "Error: no"),
  },
);

const textPart = text.map((content) => ({ type: "text" as const, text: content }));

const imagePart = fc.record({
  type: fc.constant("image" as const),
  mime: fc.constantFrom("image/png", "image/jpeg", "image/svg+xml"),
  data: fc.constant("aGVsbG8="),
});

const content = fc.array(fc.oneof({ weight: 3, arbitrary: textPart }, imagePart), { maxLength: 3 });

const id = fc.oneof(
  fc.constantFrom("call_1", "call_2", "", "call.1", "call 1", "x".repeat(60)),
  fc.string({ unit: "binary", maxLength: 70 }),
);

const callPart = fc.record({
  type: fc.constant("tool-call" as const),
  id,
  name: fc.oneof(fc.constantFrom("web_search", "", "two words", "n".repeat(80)), text),
  arguments: fc.oneof(
    fc.constantFrom('{"query":"x"}', "{}", "", "[1]", '{"a": ', '{"a":"\\ud800"}', '"text"'),
    fc.json(),
  ),
});

/** What a model said: a state keeps no empty text. */
const said = text.map((words) => `I search.${words}`);

/** Thoughts as states that were sealed for a step with some calls, which may or may not be those of the message. */
const thinkingState = fc.tuple(fc.nat({ max: 2 }), said, said).map(([calls, thinking, answer]) => ({
  api: "anthropic-messages",
  blocks: [
    { type: "thinking", thinking, signature: "c2ln" },
    { type: "text", text: answer },
    ...Array.from({ length: calls }, () => ({ type: "tool_use" })),
  ],
}));

const responsesState = fc
  .record({ calls: fc.nat({ max: 2 }), says: fc.boolean(), answer: said })
  .map(({ calls, says, answer }) => ({
    api: "openai-responses",
    items: [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZW5j" },
      ...(says ? [{ type: "message", role: "assistant", content: outputText(answer) }] : []),
      ...Array.from({ length: calls }, () => ({
        type: "function_call",
        call_id: null,
        name: null,
        arguments: null,
      })),
    ],
  }));

function outputText(answer: string) {
  return [{ type: "output_text", text: answer, annotations: [] }];
}

const chatState = fc
  .record({ calls: fc.nat({ max: 2 }), signed: fc.boolean(), thoughts: said })
  .map(({ calls, signed, thoughts }) => ({
    api: "openai-chat",
    message: { reasoning_content: thoughts },
    calls: Array.from({ length: calls }, (_, place) =>
      signed && place === 0 ? { extra_content: { google: { thought_signature: "c2ln" } } } : {},
    ),
  }));

const state = fc.option(fc.oneof(thinkingState, responsesState, chatState), { nil: undefined });

const assistant = fc.record({
  role: fc.constant("assistant" as const),
  content: fc.array(fc.oneof(textPart, callPart), { maxLength: 4 }),
  state,
});

const user = fc.record({ role: fc.constant("user" as const), content });

/** Results that belong to the calls before them, or to none. */
function results(ids: readonly string[]) {
  const result = fc.record({
    type: fc.constant("tool-result" as const),
    callId: ids.length > 0 ? fc.oneof(fc.constantFrom(...ids), id) : id,
    name: fc.constant("web_search"),
    isError: fc.boolean(),
    content,
  });
  return fc.record({
    role: fc.constant("tool" as const),
    results: fc.array(result, { maxLength: 4 }),
  });
}

const exchange: fc.Arbitrary<readonly Message[]> = assistant.chain((message) => {
  const ids = message.content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
  return fc.oneof(
    fc.tuple(user, fc.constant(message), results(ids)),
    fc.tuple(fc.constant(message), results(ids)),
    fc.tuple(user, fc.constant(message)),
    results(ids).map((message) => [message]),
  );
});

const messages: fc.Arbitrary<readonly Message[]> = fc
  .array(exchange, { maxLength: 5 })
  .map((exchanges) => exchanges.flat());

export function requestArbitrary(provider: string): fc.Arbitrary<ModelRequest> {
  return fc.record({
    model: fc.constant({ provider, id: "test-model" }),
    system: text,
    messages,
    tools: fc.subarray([
      webSearch,
      { ...webSearch, name: "long", description: `${"d".repeat(1022)}📈${"d".repeat(500)}` },
      {
        ...webSearch,
        name: "choice",
        description: " ",
        inputSchema: { oneOf: [{ type: "object" }] },
      },
    ]),
  });
}
