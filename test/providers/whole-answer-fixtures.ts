/** Answers that come whole, at their end or at once, in place of a stream of any API. */
import { wholeCall } from "./compatible-stream-fixtures.ts";
import { arguments1, arguments2, type Fixture, sse } from "./stream-fixture.ts";

const object1 = JSON.parse(arguments1) as unknown;
const compact1 = JSON.stringify(object1);

const message = { type: "message", id: "m", role: "assistant", status: "completed" };
const searchCall = {
  type: "function_call",
  id: "f",
  call_id: "call_1",
  name: "web_search",
  arguments: arguments1,
  status: "completed",
};
const whole = {
  id: "r",
  object: "response",
  status: "completed",
  output: [
    { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "Hm." }] },
    { ...message, content: [{ type: "output_text", text: "I search.", annotations: [] }] },
    searchCall,
  ],
  usage: { input_tokens: 5, output_tokens: 2 },
};

export const wholeResponsesFixtures: readonly Fixture[] = [
  {
    name: "everything in response.completed",
    body: sse({ type: "response.completed", response: whole }),
    outline: ["text I search.", `call call_1 ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "text in deltas, the call only in response.completed",
    body:
      sse({ type: "response.output_text.delta", output_index: 1, delta: "I search." }) +
      sse({ type: "response.completed", response: whole }),
    outline: ["text I search.", `call call_1 ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "one JSON object in place of a stream",
    body: JSON.stringify(whole),
    outline: ["text I search.", `call call_1 ${arguments1}`, "finish tool-calls"],
  },
];

export const wholeChatFixtures: readonly Fixture[] = [
  {
    name: "a whole answer without a reason for its end",
    body: JSON.stringify({ choices: [{ message: { role: "assistant", content: "Done." } }] }),
    outline: ["text Done.", "finish stop"],
  },
  {
    name: "a whole answer in several choices",
    body: JSON.stringify({
      choices: [
        { message: { content: "I " } },
        { message: { content: "search.", tool_calls: [wholeCall("a", arguments1)] } },
        { message: { tool_calls: [wholeCall("b", arguments2)] }, finish_reason: "tool_calls" },
      ],
    }),
    outline: [
      "text I search.",
      `call a ${arguments1}`,
      `call b ${arguments2}`,
      "finish tool-calls",
    ],
  },
];

export const wholeAnthropicFixtures: readonly Fixture[] = [
  {
    name: "blocks that begin with what their pieces say once more (MiniMax)",
    body: [
      { type: "message_start", message: {} },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "I " } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I " } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "search." } },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "toolu_1", name: "web_search", input: object1 },
      },
      {
        type: "content_block_delta",
        index: 1,
        delta: { type: "input_json_delta", partial_json: compact1 },
      },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
    ]
      .map(sse)
      .join(""),
    outline: ["text I search.", `call toolu_1 ${compact1}`, "finish tool-calls"],
  },
  {
    name: "a call that begins with its input as a text",
    body: [
      { type: "message_start", message: {} },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "toolu_1", name: "web_search", input: arguments1 },
      },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
    ]
      .map(sse)
      .join(""),
    outline: [`call toolu_1 ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "a call that begins with its input, which its pieces say in other spaces",
    body: [
      { type: "message_start", message: {} },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "toolu_1", name: "web_search", input: object1 },
      },
      ...(arguments1.match(/.{1,9}/g) ?? []).map((partial_json) => ({
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json },
      })),
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
    ]
      .map(sse)
      .join(""),
    outline: [`call toolu_1 ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "one JSON object in place of a stream",
    body: JSON.stringify({
      type: "message",
      role: "assistant",
      content: [
        { type: "text", text: "I search." },
        { type: "tool_use", id: "toolu_1", name: "web_search", input: object1 },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 5, output_tokens: 2 },
    }),
    outline: ["text I search.", `call toolu_1 ${compact1}`, "finish tool-calls"],
  },
];

/** A thought whose block was never begun. */
export const unannouncedThought = [
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
  { type: "message_delta", delta: { stop_reason: "end_turn" } },
]
  .map(sse)
  .join("");
