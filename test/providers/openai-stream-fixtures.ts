import { arguments1, arguments2, type Fixture, sse } from "./stream-fixture.ts";

function openai(chunks: readonly unknown[], end = "data: [DONE]\n\n"): string {
  const data = chunks.map((chunk) => (typeof chunk === "string" ? chunk : sse(chunk)));
  return data.join("") + end;
}

function delta(fields: unknown, reason: string | null = null) {
  return { id: "c1", choices: [{ index: 0, delta: fields, finish_reason: reason }] };
}

function call(fields: { index?: number; id?: string; name?: string; arguments?: string }) {
  const { index, id, ...called } = fields;
  return delta({ tool_calls: [{ index, id, type: "function", function: called }] });
}

const usage = {
  choices: [],
  usage: {
    prompt_tokens: 90,
    completion_tokens: 12,
    prompt_tokens_details: { cached_tokens: 64 },
    completion_tokens_details: { reasoning_tokens: 5 },
  },
};

export const openaiFixtures: readonly Fixture[] = [
  {
    name: "text with emoji, a keep-alive comment and usage",
    body: openai([
      delta({ role: "assistant", content: "" }),
      ": OPENROUTER PROCESSING\n\n",
      delta({ content: "Sure, 📈 " }),
      delta({ content: "ü." }),
      delta({}, "stop"),
      usage,
    ]),
    outline: ["text Sure, 📈 ü.", "finish stop"],
  },
  {
    name: "two parallel calls whose pieces alternate",
    body: openai([
      delta({ role: "assistant", content: "I search." }),
      call({ index: 0, id: "call_1", name: "web_search", arguments: "" }),
      call({ index: 1, id: "call_2", name: "web_search", arguments: "" }),
      call({ index: 0, arguments: arguments1.slice(0, 9) }),
      call({ index: 1, arguments: arguments2.slice(0, 4) }),
      call({ index: 0, arguments: arguments1.slice(9) }),
      call({ index: 1, arguments: arguments2.slice(4) }),
      delta({}, "tool_calls"),
      usage,
    ]),
    outline: [
      "text I search.",
      `call call_1 ${arguments1}`,
      `call call_2 ${arguments2}`,
      "finish tool-calls",
    ],
  },
  {
    name: "calls without index, with the reason stop",
    body: openai([
      call({ id: "a", name: "web_search", arguments: arguments1 }),
      call({ id: "b", name: "web_search", arguments: arguments2.slice(0, 3) }),
      call({ arguments: arguments2.slice(3) }),
      delta({}, "stop"),
    ]),
    outline: [`call a ${arguments1}`, `call b ${arguments2}`, "finish tool-calls"],
  },
  {
    name: "every call with index 0, no arguments, no ids at the end",
    body: openai([
      call({ index: 0, id: "a", name: "now" }),
      call({ index: 0, id: "b", name: "now", arguments: "" }),
      delta({}, "tool_calls"),
    ]),
    outline: ["call a {}", "call b {}", "finish tool-calls"],
  },
  {
    name: "text after a call keeps its place",
    body: openai([
      delta({ content: "One" }),
      call({ index: 0, id: "a", name: "now", arguments: "{}" }),
      delta({ content: "two" }),
      delta({}, "tool_calls"),
    ]),
    outline: ["text One", "call a {}", "text two", "finish tool-calls"],
  },
  {
    name: "arguments that do not parse come with their raw text",
    body: openai([
      call({ index: 0, id: "a", name: "web_search", arguments: '{"query": ' }),
      delta({}, "tool_calls"),
    ]),
    outline: ['call a {"query": ', "finish tool-calls"],
  },
  {
    name: "a call cut by the output limit is not offered",
    body: openai([
      delta({ content: "I search." }),
      call({ index: 0, id: "a", name: "web_search", arguments: '{"query":"x"}' }),
      delta({ content: " More." }),
      delta({}, "length"),
    ]),
    outline: ["text I search. More.", "finish length"],
  },
  {
    name: "a content filter",
    body: openai([delta({ content: "No" }), delta({}, "content_filter")]),
    outline: ["text No", "finish content-filter"],
  },
  {
    name: "reasoning by both of its names is no text",
    body: openai([
      delta({ reasoning_content: "think " }),
      delta({ reasoning: "more" }),
      delta({ content: "Done." }),
      delta({}, "stop"),
    ]),
    outline: ["text Done.", "finish stop"],
  },
  {
    name: "an end without a reason is an error",
    body: openai(
      [delta({ content: "Half" }), call({ index: 0, id: "a", name: "now", arguments: "{}" })],
      "",
    ),
    outline: ["text Half", "error bad-stream"],
  },
  {
    name: "a reason that nobody knows is an error",
    body: openai([
      call({ index: 0, id: "a", name: "now", arguments: "{}" }),
      delta({}, "insufficient_system_resource"),
    ]),
    outline: ["error bad-stream"],
  },
  {
    name: "a call without a name is passed on beside whole calls",
    body: openai([
      call({ index: 0, id: "a", arguments: "{}" }),
      call({ index: 1, id: "b", name: "now", arguments: "" }),
      delta({}, "tool_calls"),
    ]),
    outline: ["call a {}", "call b {}", "finish tool-calls"],
  },
  {
    name: "a call without a name is an error beside half a call",
    body: openai([
      call({ index: 0, id: "a", name: "now", arguments: '{"a"' }),
      call({ index: 1, id: "b", arguments: ':"b"}' }),
      delta({}, "tool_calls"),
    ]),
    outline: ["error bad-stream"],
  },
  ...["tool-calls", "toolUse", "TOOL_CALLS", "FINISH_REASON_STOP", "end-turn", "Stop"].map(
    (word) => ({
      name: `the reason ${word} keeps calls`,
      body: openai([call({ index: 0, id: "a", name: "now", arguments: "" }), delta({}, word)]),
      outline: ["call a {}", "finish tool-calls"],
    }),
  ),
  ...["other", "unknown", "FINISH_REASON_UNSPECIFIED"].map((word) => ({
    name: `the reason ${word} keeps a whole call`,
    body: openai([call({ index: 0, id: "a", name: "now", arguments: "{}" }), delta({}, word)]),
    outline: ["call a {}", "finish tool-calls"],
  })),
  {
    name: "the reason other keeps no half call",
    body: openai([call({ index: 0, id: "a", name: "now", arguments: "" }), delta({}, "other")]),
    outline: ["error bad-stream"],
  },
  {
    name: "a reason of its own keeps no call",
    body: openai([call({ index: 0, id: "a", name: "now", arguments: "{}" }), delta({}, "moon")]),
    outline: ["error bad-stream"],
  },
  {
    name: "an error object in the stream",
    body: openai([
      delta({ content: "Half" }),
      { error: { message: "The server had an error", type: "server_error" } },
    ]),
    outline: ["text Half", "error overloaded"],
  },
];
