import { expect, test } from "vitest";
import { checkAnthropicMessages } from "../support/model-server-anthropic-rules.ts";
import { checkOpenAIMessages } from "../support/model-server-openai-rules.ts";

// The rules are what the requests are tested by, so each has to catch what it is for.

const question = { role: "user", content: "hi" };
const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
const calling = { role: "assistant", content: null, tool_calls: [call] };
const done = { role: "tool", tool_call_id: "c1", content: "ok" };
const openaiTool = { type: "function", function: { name: "f", parameters: { type: "object" } } };

function withFunction(fields: object) {
  return { tools: [{ ...openaiTool, function: { ...openaiTool.function, ...fields } }] };
}

test("OpenAI: a whole turn is accepted", () => {
  const messages = [question, calling, done, { role: "assistant", content: "x" }, question];
  expect(checkOpenAIMessages({ messages, tools: [openaiTool] })).toBeNull();
});

test.each([
  ["O1 unanswered", [question, calling, question], "did not have response messages: c1"],
  ["O1 at the end", [question, calling], "did not have response messages: c1"],
  ["O2 orphan", [question, done], "must be a response to a preceeding message"],
  ["O2 twice", [question, calling, done, done], "must be a response to a preceeding message"],
  [
    "O3 object",
    [
      question,
      { ...calling, tool_calls: [{ ...call, function: { name: "f", arguments: {} } }] },
      done,
    ],
    "expected a string, but got an object",
  ],
  ["O4 no content", [question, { role: "assistant", content: null }], "content"],
  ["O4 empty", [question, { role: "assistant", content: " " }], "content"],
  ["O4 empty calls", [question, { ...calling, tool_calls: [] }], "tool_calls"],
  [
    "O5 long id",
    [question, { ...calling, tool_calls: [{ ...call, id: "x".repeat(41) }] }],
    "maximum length 40",
  ],
  ["O6 name", [question, calling, { ...done, name: "f" }], "Unknown parameter"],
  [
    "O7 image in a result",
    [question, calling, { ...done, content: [{ type: "image_url" }] }],
    "expected a text",
  ],
  ["duplicate id", [question, calling, done, calling, done], "Duplicate"],
  ["U1", [{ role: "user", content: "\uD83D" }], "failed to parse JSON value"],
  ["empty question", [{ role: "user", content: "" }], "empty"],
  ["no messages", [], "empty array"],
  ["bad role", [{ role: "robot", content: "x" }], "Supported values"],
] as const)("OpenAI: %s", (_, messages, sentence) => {
  expect(checkOpenAIMessages({ messages })).toContain(sentence);
});

test.each([
  ["O8", { model: "gpt-5", temperature: 1 }, "temperature"],
  ["an unknown field", { thinking: {} }, "Unrecognized"],
  ["too many tools", { tools: Array.from({ length: 129 }, () => openaiTool) }, "length 128"],
  ["O9", withFunction({ description: "d".repeat(1025) }), "maximum length 1024"],
  ["no tools", { tools: [] }, "minimum length 1"],
  ["bad name", withFunction({ name: "a b" }), "name"],
  ["no object", withFunction({ parameters: { type: "string" } }), "'object'"],
  ["oneOf", withFunction({ parameters: { type: "object", oneOf: [] } }), "top level"],
  [
    "an array without items",
    withFunction({ parameters: { type: "object", properties: { a: { type: "array" } } } }),
    "In context=('properties', 'a'), array schema missing items",
  ],
  ["O10 new", { model: "gpt-5.6-sol", tools: [openaiTool] }, "Please use /v1/responses"],
  [
    "O10 an effort",
    { model: "gpt-5.4-mini", tools: [openaiTool], reasoning_effort: "low" },
    "Please use /v1/responses",
  ],
] as const)("OpenAI: %s in the body", (_, fields, sentence) => {
  expect(checkOpenAIMessages({ messages: [question], ...fields })).toContain(sentence);
});

const user = { role: "user", content: "hi" };
const signed = { google: { thought_signature: "c2ln" } };
const withChoice = { messages: [user], tools: [openaiTool], tool_choice: "required" };

test.each([
  ["xai", "X1 developer", { messages: [{ role: "developer", content: "x" }, user] }, "developer"],
  [
    "xai",
    "X1 $ref",
    withFunction({ parameters: { type: "object", properties: { a: { $ref: "#" } } } }),
    "$ref",
  ],
  ["xai", "X1 store", { store: false }, "Unrecognized"],
  ["cerebras", "C1", withChoice, "only 'auto' and 'none'"],
  ["cerebras", "C1 parallel", { parallel_tool_calls: false }, "Unrecognized"],
  ["google", "G1", { model: "gemini-3", messages: [user, calling, done] }, "thought_signature"],
  ["google", "a name", withFunction({ name: "3d" }), "Must start with"],
  [
    "google",
    "a word of its schema",
    withFunction({ parameters: { type: "object", properties: { a: { $ref: "#" } } } }),
    "Unknown name \"$ref\" at 'GenerateContentRequest.tools[0].function_declarations[0].parameters.properties.a'",
  ],
  [
    "google",
    "G5",
    {
      reasoning_effort: "low",
      extra_body: { google: { thinking_config: { thinking_level: "low" } } },
    },
    "found both",
  ],
  [
    "google",
    "G5 a level that the model does not know",
    {
      model: "gemini-3.1-pro",
      extra_body: { google: { thinking_config: { thinking_level: "minimal" } } },
    },
    "level is not supported",
  ],
  ["mistral", "M1", { messages: [user, calling, done] }, "length of 9"],
  ["mistral", "any", withChoice, "'any'"],
  [
    "mistral",
    "a user after results",
    {
      messages: [
        user,
        { ...calling, tool_calls: [{ ...call, id: "abcdefghi" }] },
        { ...done, tool_call_id: "abcdefghi" },
        user,
      ],
    },
    "after role 'tool'",
  ],
  ["deepseek", "D1", { messages: [user, calling, done] }, "must be passed back"],
  ["ollama", "L1", withChoice, "Unrecognized"],
])("%s: %s", (vendor, _, fields, sentence) => {
  expect(checkOpenAIMessages({ messages: [user], ...fields }, vendor)).toContain(sentence);
});

test("what the vendors want is accepted", () => {
  const google = [user, { ...calling, tool_calls: [{ ...call, extra_content: signed }] }, done];
  expect(checkOpenAIMessages({ model: "gemini-3", messages: google }, "google")).toBeNull();
  const deepseek = [user, { ...calling, reasoning_content: "" }, done];
  expect(checkOpenAIMessages({ messages: deepseek }, "deepseek")).toBeNull();
});

const use = { type: "tool_use", id: "t1", name: "f", input: {} };
const using = { role: "assistant", content: [use] };
const result = { type: "tool_result", tool_use_id: "t1", content: "ok" };
const answered = { role: "user", content: [result] };
const thinking = { type: "thinking", thinking: "", signature: "c2ln" };
const said = { type: "text", text: "x" };

test("Anthropic: a whole turn is accepted", () => {
  const content = [thinking, said, use];
  const messages = [
    question,
    { role: "assistant", content },
    { role: "user", content: [result, said] },
  ];
  const tools = [{ name: "f", input_schema: { type: "object" } }];
  expect(checkAnthropicMessages({ max_tokens: 1, messages, tools })).toBeNull();
});

const asking = { type: "server_tool_use", id: "s1", name: "web_search", input: {} };
const found = { type: "web_search_tool_result", tool_use_id: "s1", content: [] };

test("Anthropic: a response that paused may be the last", () => {
  const paused = { role: "assistant", content: [said, asking, found] };
  expect(checkAnthropicMessages({ max_tokens: 1, messages: [question, paused] })).toBeNull();
});

function reply(...content: object[]) {
  return [question, { role: "assistant", content }, question];
}

test.each([
  ["A1", [question, using, question], "without `tool_result` blocks"],
  ["A2", [question, using, { role: "user", content: [said, result] }], "must come before"],
  ["A4", [question, answered], "unexpected `tool_use_id`"],
  ["A4 twice", [question, using, { role: "user", content: [result, result] }], "unexpected"],
  ["A5 id", reply({ ...use, id: "a.b" }), "String should match pattern"],
  ["A5 name", reply({ ...use, name: "a b" }), "String should match pattern"],
  ["A6", reply({ type: "text", text: " \n" }), "must be non-empty"],
  [
    "A6 in a result",
    [
      question,
      using,
      { role: "user", content: [{ ...result, content: [{ type: "text", text: "" }] }] },
    ],
    "must be non-empty",
  ],
  ["A7", [question, { role: "assistant", content: "x" }], "prefill"],
  ["A8", reply(said, thinking, use), "Expected `thinking`"],
  ["A14 lost", [...reply(asking, said), ...reply(said)], "without a corresponding"],
  ["A14 orphan", reply(said, found), "unexpected `tool_use_id`"],
  ["A8 unsigned", reply({ ...thinking, signature: "" }, said), "Invalid `signature`"],
  ["A9", reply(thinking), "cannot be `thinking`"],
  ["input", reply({ ...use, input: "{}" }), "valid dictionary"],
  ["no question", [{ role: "assistant", content: "x" }, question], "first message"],
  ["empty message", reply(), "non-empty content"],
  ["duplicate id", [question, using, answered, using, answered], "must be unique"],
  ["calls of a user", [{ role: "user", content: [use] }], "can only be in `assistant`"],
  ["U1", reply({ type: "text", text: "a\uDE00" }), "low surrogate"],
  [
    "image",
    [{ role: "user", content: [{ type: "image", source: { media_type: "image/tiff" } }] }],
    "image/jpeg",
  ],
] as const)("Anthropic: %s", (_, messages, sentence) => {
  expect(checkAnthropicMessages({ max_tokens: 1, messages })).toContain(sentence);
});

test.each([
  ["temperature", { temperature: 1 }, "temperature"],
  ["no limit", { max_tokens: undefined }, "max_tokens"],
  ["empty system", { system: "" }, "non-empty"],
  [
    "bad tool",
    { tools: [{ name: "f", input_schema: { type: "object", anyOf: [] } }] },
    "top level",
  ],
  [
    "two tools of one name",
    {
      tools: [
        { type: "web_search_20260318", name: "f" },
        { name: "f", input_schema: { type: "object" } },
      ],
    },
    "must be unique",
  ],
  ["bad tool name", { tools: [{ name: "f.g", input_schema: { type: "object" } }] }, "pattern"],
  [
    "a property name",
    { tools: [{ name: "f", input_schema: { type: "object", properties: { $filter: {} } } }] },
    "Property keys should match pattern",
  ],
  [
    "an older draft",
    { tools: [{ name: "f", input_schema: { type: "object", definitions: {} } }] },
    "It must match JSON Schema draft 2020-12",
  ],
] as const)("Anthropic: %s in the body", (_, fields, sentence) => {
  const body = { max_tokens: 1, messages: [question], ...fields };
  expect(checkAnthropicMessages(body)).toContain(sentence);
});
