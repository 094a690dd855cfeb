import { expect, test } from "vitest";
import { type Asked, callsOf, detect, outline, sourceOf } from "./detect.ts";

const args = '{ "path": "a",  "n": 12345678901234567890 }';
const name = '"name":"builtin.read_file"';
const found = `builtin.read_file${args}`;
const fence = (text: string) => `\`\`\`json\n${text}\n\`\`\``;

type Row = readonly [name: string, text: string, found: readonly string[], Asked?];

const rows: readonly Row[] = [
  ["function", `{"function":{${name},"arguments":${args}}}`, [found]],
  ["flat", `{${name},"arguments":${args}}`, [found]],
  ["flat, parameters", `{${name},"parameters":${args}}`, [found]],
  ["flat, other names", `{"function_name":"builtin.read_file","function_args":${args}}`, [found]],
  ["flat, function as the name", `{"function":"builtin.read_file","arguments":${args}}`, [found]],
  ["tool_request", `{"tool_request":{${name},"parameters":${args}}}`, [found]],
  ["tool_request with arguments", `{"tool_request":{${name},"arguments":${args}}}`, [found]],
  [
    "flat, both, the same",
    `{${name},"parameters":{"n":12345678901234567890,"path":"a"},"arguments":${args}}`,
    [found],
  ],
  ["flat, both, different", `{${name},"parameters":{"a":1},"arguments":${args}}`, [`${found}!`]],
  [
    "flat, arguments and the tool's own schema",
    `{${name},"parameters":{"type":"object","properties":{"path":{}}},"arguments":${args}}`,
    [found],
  ],
  ["flat, arguments null", `{${name},"arguments":null,"parameters":${args}}`, [`${found}!`]],
  [
    "tool_request, both",
    `{"tool_request":{${name},"arguments":{"a":1},"parameters":${args}}}`,
    [`${found}!`],
  ],
  [
    "in tags of no family",
    `<function_call>\n{${name},"arguments":${args}}\n</function_call>`,
    [found],
  ],
  ["with a bracket too many", `{${name},"arguments":${args}}} b`, [found, " b"]],
  ["in double brackets", `a {{${name},"arguments":${args}}} b`, ["a ", found, " b"]],
  [
    "with raw line breaks",
    '{\n  "name": "web_search",\n  "arguments": {"query": "a\nb"}\n}',
    ['web_search{"query": "a\\nb"}!'],
  ],
  [
    "tool_request before function before flat",
    `{"name":"web_search","arguments":{},"function":{"name":"web_search","arguments":{}},"tool_request":{${name},"parameters":${args}}}`,
    [found],
  ],
  [
    "OpenAI's list",
    `{"tool_calls":[{"id":"1","type":"function","function":{${name},"arguments":"{\\"path\\": \\"a\\"}"}},{"type":"function","function":{"name":"web_search","arguments":"{}"}}]}`,
    ['builtin.read_file{"path": "a"}', "web_search{}"],
  ],
  ...["tool_request", "tool_requests"].map(
    (key): Row => [
      `several in ${key}`,
      `{"thoughts":"a","${key}":[{${name},"parameters":${args}},{"name":"web_search","parameters":{}}]}`,
      [found, "web_search{}"],
    ],
  ),
  ...[
    // Another's data, in which a call is an example: the messages of a chat.
    `[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"function":{${name},"arguments":"{}"}}]}]`,
    `[{"user":{${name},"arguments":${args}}}]`,
  ].flatMap((data): Row[] => [
    ["a list of data", data, [data]],
    ["a list of data in a fence", fence(data), [fence(data)]],
  ]),
  [
    "a list",
    `[{${name},"arguments":${args}}, {"name":"web_search","arguments":{}}]`,
    [found, "web_search{}"],
  ],
  [
    "lines",
    `{${name},"arguments":${args}}\n{"name":"web_search","arguments":{}}`,
    [found, "\n", "web_search{}"],
  ],
  [
    "back to back",
    `{${name},"arguments":${args}}{"name":"web_search","arguments":{}}`,
    [found, "web_search{}"],
  ],
  [
    "a fence with two",
    fence(`{${name},"arguments":${args}}\n{"name":"web_search","arguments":{}}`),
    [found, "web_search{}"],
  ],
  ["a fence with a list", fence(`[{${name},"arguments":${args}}]`), [found]],
  ["a fence with a space", `\`\`\` json\n{${name},"arguments":${args}}\n\`\`\``, [found]],
  [
    "a fence on one line",
    `So: \`\`\`json {${name},"arguments":${args}} \`\`\` b`,
    ["So: ", found, " b"],
  ],
  ...["tool", "tool_use", "function_call"].map((language): Row => {
    const fenced = fence(`{${name},"arguments":${args}}`).replace("json", language);
    return [`a fence of the language ${language}`, fenced, [found]];
  }),
  ["a fence without language", `\`\`\`\n{${name},"arguments":${args}}\n\`\`\``, [found]],
  [
    "a raw line break in a fence",
    fence('{"name":"web_search","arguments":{"query":"a\nb"}}'),
    ['web_search{"query":"a\\nb"}!'],
  ],
  [
    "good, bad and good fences",
    `${fence(`{${name},"arguments":{}}`)}\n${fence("{bad}")}\n${fence('{"name":"web_search","arguments":{}}')}`,
    ["builtin.read_file{}", `\n${fence("{bad}")}\n`, "web_search{}"],
  ],
  [
    "between tokens",
    `<|im_start|>{${name},"arguments":{}}<|im_end|>`,
    ["<|im_start|>", "builtin.read_file{}", "<|im_end|>"],
  ],
  ["prose", "There is no call in here.", ["There is no call in here."]],
  [
    "tags in arguments",
    '{"name":"web_search","arguments":{"query":"<b>bold</b> text"}}',
    ['web_search{"query":"<b>bold</b> text"}'],
  ],
  [
    "braces in arguments",
    '{"name":"web_search","arguments":{"query":"if (a) { b(); "}}',
    ['web_search{"query":"if (a) { b(); "}'],
  ],
  [
    "a fence without end, stopped",
    `\`\`\`json\n{${name},"arguments":{}}\n`,
    ["builtin.read_file{}"],
  ],
  [
    "a fence without end, cut off",
    `\`\`\`json\n{${name},"arguments":{}}\n`,
    [`\`\`\`json\n{${name},"arguments":{}}\n`],
    { finish: "length" },
  ],
];

for (const [title, text, expected, asked] of rows) {
  test(title, () => {
    expect(outline(detect("json", text, asked))).toEqual(expected);
    expect(sourceOf(detect("json", text, asked))).toBe(text);
    expect(outline(detect("json", text, { ...asked, chunks: [1] }))).toEqual(expected);
  });
}

test.each([
  ["a list", `[{${name},"arguments":${args}}]`, []],
  ["a list over lines", `So:\n[\n  {${name},"arguments":${args}}\n]`, []],
  ["JSON in tags of no family", `<tool>{${name},"arguments":${args}}</tool>`, [true]],
  ["JSON in double brackets", `{{${name},"arguments":${args}}}`, [true]],
])("whether %s is salvaged where JSON was asked for", (_, text, salvaged) => {
  const notes = detect("json", text).flatMap((event) =>
    event.type === "tool-call" && event.salvaged ? [event.salvaged] : [],
  );
  expect(notes).toEqual(salvaged);
});

test("thoughts come with the call", () => {
  const text = fence(
    `{"thoughts":"First.\\nThen.","tool_request":{${name},"parameters":{"path":"/root"}}}`,
  );
  const events = detect("json", text);
  expect(callsOf(events)).toEqual([{ name: "builtin.read_file", arguments: '{"path":"/root"}' }]);
  expect(events).toContainEqual(expect.objectContaining({ thoughts: "First.\nThen.", raw: text }));
});

test.each([
  [
    "beside a list",
    `{"thoughts":"First.","tool_calls":[{${name},"arguments":{}}, {"name":"web_search","arguments":{}}]}`,
    ["First.", undefined],
  ],
  [
    "of each item",
    `[{"thoughts":"a","function":{${name},"arguments":{}}},{"thoughts":"b","name":"web_search","arguments":{}}]`,
    ["a", "b"],
  ],
  [
    "beside a list and in it",
    `{"tool_calls":[{"thoughts":"b",${name},"arguments":{}}],"thoughts":"a"}`,
    ["a\nb"],
  ],
  [
    "that are no text",
    `{"thoughts":["a", 1],"tool_request":{${name},"parameters":{}}}`,
    ['["a", 1]'],
  ],
])("thoughts %s come with their call", (_, text, expected) => {
  const thoughts = detect("json", text).flatMap((event) =>
    event.type === "tool-call" ? [event.thoughts] : [],
  );
  expect(thoughts).toEqual(expected);
});

test.each([
  ["", ['builtin.read_file{"type":"object","properties":{}}']],
  [",", ["malformed"]],
])(
  "arguments that look like a schema are arguments where the tool has such ones%s",
  (comma, found) => {
    const inputSchema = { properties: { type: {}, properties: {} } };
    const json = `{${name},"arguments":{"type":"object","properties":{}}${comma}}`;
    const tools = [{ name: "builtin.read_file", inputSchema }];
    expect(outline(detect("json", fence(json), { tools }))).toEqual(found);
  },
);
