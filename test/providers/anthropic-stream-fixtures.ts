import { arguments1, arguments2, type Fixture, sse } from "./stream-fixture.ts";

interface Event {
  readonly type: string;
  readonly [key: string]: unknown;
}

function anthropic(events: readonly Event[]): string {
  return events.map((event) => `event: ${event.type}\n${sse(event)}`).join("");
}

const messageStart = {
  type: "message_start",
  message: {
    id: "msg_1",
    role: "assistant",
    content: [],
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 64,
      cache_creation_input_tokens: 16,
      output_tokens: 1,
    },
  },
};

function block(index: number, start: Event, deltas: readonly unknown[]) {
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((each) => ({ type: "content_block_delta", index, delta: each })),
    { type: "content_block_stop", index },
  ];
}

function text(index: number, ...pieces: readonly string[]) {
  const deltas = pieces.map((piece) => ({ type: "text_delta", text: piece }));
  return block(index, { type: "text", text: "" }, deltas);
}

function use(index: number, id: string, ...pieces: readonly string[]) {
  const start = { type: "tool_use", id, name: "web_search", input: {} };
  return block(
    index,
    start,
    pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
  );
}

export const thinkingBlocks = [
  { type: "thinking", thinking: "I should search.", signature: "c2lnbmF0dXJlLTE=" },
  { type: "redacted_thinking", data: "ZW5jcnlwdGVk" },
];

const thinking = [
  ...block(0, { type: "thinking", thinking: "", signature: "" }, [
    { type: "thinking_delta", thinking: "I should " },
    { type: "thinking_delta", thinking: "search." },
    { type: "signature_delta", signature: "c2lnbmF0dXJlLTE=" },
  ]),
  ...block(1, thinkingBlocks[1] ?? { type: "" }, []),
];

function end(reason: string) {
  const delta = { stop_reason: reason, stop_sequence: null };
  return [
    { type: "message_delta", delta, usage: { output_tokens: 12, input_tokens: null } },
    { type: "message_stop" },
  ];
}

export const thinkingStream = anthropic([
  messageStart,
  ...thinking,
  ...text(2, "I search.\n"),
  ...use(3, "toolu_1", arguments1),
  ...text(4, "  "),
  ...end("tool_use"),
]);

const query = { query: "price of *google*\n🤖: stock" };

/** A search of the vendor's as its blocks come back. */
export const searchBlocks = [
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: query },
  {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [
      {
        type: "web_search_result",
        url: "https://example.com/",
        title: "GOOGL",
        encrypted_content: "ZW5j+/==",
        page_age: null,
      },
    ],
  },
];

const citation = {
  type: "web_search_result_location",
  cited_text: "$911",
  encrypted_index: "aW5k",
  title: "GOOGL",
  url: "https://example.com/",
};

function asked(index: number): Event[] {
  const json = JSON.stringify(query);
  const start = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
  return block(
    index,
    start,
    [json.slice(0, 9), json.slice(9)].map((partial_json) => ({
      type: "input_json_delta",
      partial_json,
    })),
  );
}

function found(index: number): Event[] {
  return block(index, searchBlocks[1] ?? { type: "" }, []);
}

function cited(index: number): Event[] {
  return block(index, { type: "text", text: "" }, [
    { type: "citations_delta", citation },
    { type: "text_delta", text: "It is $911" },
  ]);
}

/** Pauses while the search is under way. */
export const pausedStream = anthropic([
  { ...messageStart, message: { ...messageStart.message, container: { id: "container_1" } } },
  ...thinking,
  ...text(2, "I look."),
  ...asked(3),
  ...end("pause_turn"),
]);

/** Goes on where the other paused. */
const resumedStream = anthropic([
  messageStart,
  ...found(0),
  ...cited(1),
  ...text(2, " today."),
  ...use(3, "toolu_1", arguments1),
  ...end("tool_use"),
]);

/** As the other, to the end of the answer. */
export const foundStream = anthropic([messageStart, ...found(0), ...cited(1), ...end("end_turn")]);

export const anthropicFixtures: readonly Fixture[] = [
  {
    name: "a pause in a search",
    body: pausedStream,
    outline: ["text I look.\n\n> web search: price of \\*google\\* 🤖: stock", "finish pause"],
  },
  {
    name: "what was found, cited, and a call",
    body: resumedStream,
    outline: [
      "text It is $911 today.\n\n> Sources:\n>\n> - [GOOGL](<https://example.com/>)",
      `call toolu_1 ${arguments1}`,
      "finish tool-calls",
    ],
  },
  {
    name: "text and a ping",
    body: anthropic([
      messageStart,
      { type: "ping" },
      ...text(0, "Sure, 📈 ", "ü."),
      ...end("end_turn"),
    ]),
    outline: ["text Sure, 📈 ü.", "finish stop"],
  },
  {
    name: "text, two parallel calls, text between and after",
    body: anthropic([
      messageStart,
      ...text(0, "One"),
      ...use(1, "toolu_1", "", '{"query": "goo', 'gle stöck 📈"}'),
      ...text(2, "two"),
      ...use(3, "toolu_2", arguments2),
      ...text(4, "three"),
      ...end("tool_use"),
    ]),
    outline: [
      "text One",
      `call toolu_1 ${arguments1}`,
      "text two",
      `call toolu_2 ${arguments2}`,
      "text three",
      "finish tool-calls",
    ],
  },
  {
    name: "a call without arguments",
    body: anthropic([messageStart, ...use(0, "toolu_1", ""), ...end("tool_use")]),
    outline: ["call toolu_1 {}", "finish tool-calls"],
  },
  {
    name: "arguments whole in the first event",
    body: anthropic([
      messageStart,
      ...block(0, { type: "tool_use", id: "t", name: "now", input: { zone: "UTC" } }, []),
      ...end("tool_use"),
    ]),
    outline: ['call t {"zone":"UTC"}', "finish tool-calls"],
  },
  {
    name: "arguments cut by the output limit are not offered",
    body: anthropic([
      messageStart,
      ...text(0, "I search."),
      ...use(1, "toolu_1", '{"a": 1, "b": "tr'),
      ...end("max_tokens"),
    ]),
    outline: ["text I search.", "finish length"],
  },
  {
    name: "arguments that do not parse come with their raw text",
    body: anthropic([messageStart, ...use(0, "toolu_1", '{"a": 1, "b": "tr'), ...end("tool_use")]),
    outline: ['call toolu_1 {"a": 1, "b": "tr', "finish tool-calls"],
  },
  {
    name: "thinking",
    body: thinkingStream,
    outline: ["text I search.\n", `call toolu_1 ${arguments1}`, "text   ", "finish tool-calls"],
  },
  ...(
    [
      ["refusal", "content-filter"],
      ["pause_turn", "pause"],
      ["model_context_window_exceeded", "context"],
      ["stop_sequence", "stop"],
    ] as const
  ).map(([reason, finish]) => ({
    name: `the reason ${reason}`,
    body: anthropic([messageStart, ...text(0, "Well"), ...end(reason)]),
    outline: ["text Well", `finish ${finish}`],
  })),
  {
    name: "an end without a reason is an error",
    body: anthropic([messageStart, ...text(0, "Half"), ...use(1, "toolu_1", "{}")]),
    outline: ["text Half", "error bad-stream"],
  },
  {
    name: "an overload in the stream",
    body: anthropic([
      messageStart,
      ...text(0, "Half"),
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } as {
        type: string;
      },
    ]),
    outline: ["text Half", "error overloaded"],
  },
];
