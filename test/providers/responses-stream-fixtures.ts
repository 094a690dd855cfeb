import { arguments1, arguments2, type Fixture, sse } from "./stream-fixture.ts";

interface Event {
  readonly type: string;
  readonly [key: string]: unknown;
}

let sequence = 0;

function responses(events: readonly Event[]): string {
  return events
    .map((event) => {
      sequence += 1;
      return `event: ${event.type}\n${sse({ ...event, sequence_number: sequence })}`;
    })
    .join("");
}

const created = { type: "response.created", response: { id: "resp_1", status: "in_progress" } };

function added(output_index: number, item: Event): Event {
  return { type: "response.output_item.added", output_index, item };
}

function done(output_index: number, item: Event): Event {
  return { type: "response.output_item.done", output_index, item };
}

export const reasoning = {
  type: "reasoning",
  id: "rs_1",
  summary: [
    { type: "summary_text", text: "I should search." },
    { type: "summary_text", text: "Twice." },
  ],
  encrypted_content: "ZW5jcnlwdGVk+/=",
};

function thought(index: number): Event[] {
  const at = { item_id: "rs_1", output_index: index };
  const delta = (summary_index: number, text: string) => ({
    type: "response.reasoning_summary_text.delta",
    ...at,
    summary_index,
    delta: text,
  });
  const part = (summary_index: number) => ({
    type: "response.reasoning_summary_part.added",
    ...at,
    summary_index,
    part: { type: "summary_text", text: "" },
  });
  return [
    added(index, { type: "reasoning", id: "rs_1", summary: [] }),
    part(0),
    delta(0, "I should "),
    delta(0, "search."),
    part(1),
    delta(1, "Twice."),
    done(index, reasoning),
  ];
}

export function message(text: string, fields: object = {}, annotations: readonly object[] = []) {
  return {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations, logprobs: [] }],
    ...fields,
  };
}

function said(index: number, pieces: readonly string[], item: Event): Event[] {
  const at = { item_id: item.id, output_index: index, content_index: 0 };
  return [
    added(index, { ...item, content: [], status: "in_progress" }),
    ...pieces.map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
    { type: "response.output_text.done", ...at, text: pieces.join("") },
    done(index, item),
  ];
}

export function functionCall(id: string, json: string, status = "completed") {
  return {
    id: `fc_${id}`,
    type: "function_call",
    status,
    arguments: json,
    call_id: id,
    name: "web_search",
  };
}

function called(index: number, id: string, ...pieces: readonly string[]): Event[] {
  const item = functionCall(id, pieces.join(""));
  const at = { item_id: item.id, output_index: index };
  return [
    added(index, { ...item, arguments: "", status: "in_progress" }),
    ...pieces.map((delta) => ({
      type: "response.function_call_arguments.delta",
      ...at,
      delta,
    })),
    { type: "response.function_call_arguments.done", ...at, arguments: pieces.join("") },
    done(index, item),
  ];
}

const usage = {
  input_tokens: 90,
  output_tokens: 12,
  input_tokens_details: { cached_tokens: 64, cache_write_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 102,
};

function end(status = "completed", fields: object = {}): Event {
  return { type: `response.${status}`, response: { id: "resp_1", status, usage, ...fields } };
}

export const webSearchCall = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "price of *google*\n💬: stock", queries: [] },
};

const citation = {
  type: "url_citation",
  start_index: 0,
  end_index: 4,
  title: "Google [GOOGL]\n📝: no",
  url: "https://example.com/a?b=(c) d",
};

export const reasoningStream = responses([
  created,
  ...thought(0),
  ...said(1, ["I search."], message("I search.", { phase: "commentary" })),
  ...called(2, "call_1", arguments1),
  ...called(3, "call_2", arguments2.slice(0, 5), arguments2.slice(5)),
  end(),
]);

export const responsesFixtures: readonly Fixture[] = [
  {
    name: "text with emoji and a keep-alive comment",
    body: `: keep-alive\n\n${responses([created, ...said(0, ["Sure, 📈 ", "ü."], message("")), end()])}`,
    outline: ["text Sure, 📈 ü.", "finish stop"],
  },
  {
    name: "reasoning, commentary and two calls",
    body: reasoningStream,
    outline: [
      "text I search.",
      `call call_1 ${arguments1}`,
      `call call_2 ${arguments2}`,
      "finish tool-calls",
    ],
  },
  {
    name: "commentary and final answer are two paragraphs",
    body: responses([
      created,
      ...said(0, ["Let me see."], message("", { phase: "commentary" })),
      ...said(1, ["It is", " 5."], message("", { id: "msg_2", phase: "final_answer" })),
      end(),
    ]),
    outline: ["text Let me see.\n\nIt is 5.", "finish stop"],
  },
  {
    name: "a search of the vendor's, with sources",
    body: responses([
      created,
      ...said(0, ["I look."], message("I look.")),
      added(1, { type: "web_search_call", id: "ws_1", status: "in_progress" }),
      { type: "response.web_search_call.searching", output_index: 1, item_id: "ws_1" },
      done(1, webSearchCall),
      ...said(2, ["It is 5."], message("It is 5.", { id: "msg_2" }, [citation, citation])),
      end(),
    ]),
    outline: [
      [
        "text I look.",
        "> web search: price of \\*google\\* 💬: stock",
        "It is 5.",
        "> Sources:\n>\n> - [Google \\[GOOGL\\] 📝: no](<https://example.com/a?b=(c)%20d>)",
      ].join("\n\n"),
      "finish stop",
    ],
  },
  {
    name: "a call that comes whole, of a tool without arguments",
    body: responses([created, done(0, functionCall("call_1", "")), end()]),
    outline: ["call call_1 {}", "finish tool-calls"],
  },
  ...["", "{}"].map((empty) => ({
    name: `arguments before a finished item that has “${empty}” (LM Studio)`,
    body: responses([
      created,
      ...called(0, "call_1", arguments1).slice(0, -1),
      done(0, functionCall("call_1", empty)),
      end("completed", { output: [functionCall("call_1", empty)] }),
    ]),
    outline: [`call call_1 ${arguments1}`, "finish tool-calls"],
  })),
  {
    name: "arguments in one piece without deltas, before a finished item without them",
    body: responses([
      created,
      ...called(0, "call_1", arguments1).filter(({ type }) => !/delta|item.done/.test(type)),
      done(0, functionCall("call_1", "{}")),
      end(),
    ]),
    outline: [`call call_1 ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "text only in the event that ends it",
    body: responses([
      created,
      ...said(0, [], message("")).slice(0, 1),
      { type: "response.output_text.done", output_index: 0, text: "It is 5." },
      end("completed", { output: [] }),
    ]),
    outline: ["text It is 5.", "finish stop"],
  },
  ...[0, undefined].map((place) => ({
    name: `text only in the finished item, with the place ${place}`,
    body: responses([
      created,
      { type: "response.output_item.done", output_index: place, item: message("It is 5.") },
      end("completed", { output: [] }),
    ]),
    outline: ["text It is 5.", "finish stop"],
  })),
  {
    name: "text whose deltas have another place than its item",
    body: responses([
      created,
      ...thought(0),
      { type: "response.output_text.delta", output_index: 0, delta: "It is 5." },
      done(1, message("It is 5.")),
      end("completed", { output: [reasoning, message("It is 5.")] }),
    ]),
    outline: ["text It is 5.", "finish stop"],
  },
  {
    name: "a call whose item never ended is not offered",
    body: responses([created, ...called(0, "call_1", arguments1).slice(0, -1), end()]),
    outline: ["error bad-stream"],
  },
  {
    name: "text without its place, and the whole answer at its end",
    body: responses([
      { type: "response.output_text.delta", delta: "It is 5." },
      end("completed", { output: [message("It is 5.")] }),
    ]),
    outline: ["text It is 5.", "finish stop"],
  },
  {
    name: "a call without its place, and once more with another one at the end",
    body: responses([
      { type: "response.output_item.done", item: functionCall("call_1", arguments1) },
      end("completed", {
        output: [functionCall("call_1", arguments1), functionCall("call_2", arguments2)],
      }),
    ]),
    outline: [`call call_1 ${arguments1}`, `call call_2 ${arguments2}`, "finish tool-calls"],
  },
  {
    name: "two calls of one id that come side by side",
    body: responses([
      created,
      ...[0, 1].map((place) => added(place, functionCall("call_1", "", "in_progress"))),
      done(0, functionCall("call_1", arguments1)),
      done(1, functionCall("call_1", arguments2)),
      end("completed", { output: [] }),
    ]),
    outline: [`call call_1 ${arguments1}`, `call call_1 ${arguments2}`, "finish tool-calls"],
  },
  ...[undefined, 0].map((place) => ({
    name: `two calls that come whole, with the place ${place}`,
    body: responses([
      ...[functionCall("call_1", arguments1), functionCall("call_2", arguments2)].map((item) => ({
        type: "response.output_item.done",
        output_index: place,
        item,
      })),
      end("completed", { output: [] }),
    ]),
    outline: [`call call_1 ${arguments1}`, `call call_2 ${arguments2}`, "finish tool-calls"],
  })),
  {
    name: "a call whose item is not whole is not offered, whatever the response says",
    body: responses([created, done(0, functionCall("call_1", arguments1, "incomplete")), end()]),
    outline: ["error bad-stream"],
  },
  {
    name: "arguments that do not parse come with their raw text",
    body: responses([created, ...called(0, "call_1", '{"a": 1, "b": "tr'), end()]),
    outline: ['call call_1 {"a": 1, "b": "tr', "finish tool-calls"],
  },
  {
    name: "a call cut by the output limit is not offered",
    body: responses([
      created,
      ...said(0, ["I search."], message("I search.")),
      added(1, functionCall("call_1", "", "in_progress")),
      done(1, functionCall("call_1", '{"query": "tr', "incomplete")),
      end("incomplete", { incomplete_details: { reason: "max_output_tokens" } }),
    ]),
    outline: ["text I search.", "finish length"],
  },
  {
    name: "a limit by the word of another API",
    body: responses([
      created,
      ...said(0, ["Half"], message("Half")),
      end("incomplete", { incomplete_details: { reason: "max_tokens" } }),
    ]),
    outline: ["text Half", "finish length"],
  },
  {
    name: "a filter",
    body: responses([
      created,
      ...said(0, ["Well"], message("Well")),
      end("incomplete", { incomplete_details: { reason: "content_filter" } }),
    ]),
    outline: ["text Well", "finish content-filter"],
  },
  {
    name: "a refusal is text",
    body: responses([
      created,
      { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "I won't." },
      end(),
    ]),
    outline: ["text I won't.", "finish stop"],
  },
  {
    name: "an incompleteness without a reason is an error",
    body: responses([created, ...said(0, ["Half"], message("Half")), end("incomplete")]),
    outline: ["text Half", "error bad-stream"],
  },
  {
    name: "a failed response",
    body: responses([
      created,
      ...said(0, ["Half"], message("Half")),
      end("failed", { error: { code: "rate_limit_exceeded", message: "Slow down." } }),
    ]),
    outline: ["text Half", "error rate-limit"],
  },
  {
    name: "an error event",
    body: responses([
      created,
      { type: "error", code: "server_error", message: "Oh no.", param: null },
    ]),
    outline: ["error overloaded"],
  },
  {
    name: "an end without a status is an error",
    body: responses([created, ...said(0, ["Half"], message("Half"))]),
    outline: ["text Half", "error bad-stream"],
  },
];
