import { describe } from "vitest";
import { detectableProtocols } from "../../../src/providers/text-tools/protocol-ids.ts";
import { type Asked, type Row, run, S } from "./detect.ts";

const simple = '{"name":"web_search","arguments":{}}';
const between = (content: string) => `<tool_call>${content}</tool_call>`;
const quoted = (args: string) => `{"name":"web_search","arguments":${args}}`;
const all = [...detectableProtocols.keys()].join(",");

describe("malformations", () => {
  const bare = "<function=web_search>\n<parameter=query>\nx\n</parameter>\n</function>";
  run([
    [
      "missing opening tag",
      "qwen-xml",
      `${bare}\n</tool_call> b`,
      ['web_search{"query":"x"}', " b"],
    ],
    [
      "missing opening tag, tool unknown",
      "qwen-xml",
      bare.replace("web_search", "zz"),
      [bare.replace("web_search", "zz")],
    ],
    [
      "missing opening tag of JSON",
      "hermes,json",
      `${simple}\n</tool_call> b`,
      ["web_search{}", " b"],
    ],
    ["missing opening tag, never closed", "qwen-xml", bare.slice(0, -3), ["malformed"]],
    ["doubled closer", "hermes", `${between(simple)}</tool_call> b`, ["web_search{}", " b"]],
    [
      "wrong closer behind the right one",
      "hermes",
      `${between(simple)}\n</_call>b`,
      ["web_search{}", "b"],
    ],
    [
      "closer in a value of XML",
      "qwen-xml",
      "<tool_call><function=web_search><parameter=query>a</function></tool_call>b</parameter></function></tool_call>",
      ['web_search{"query":"a</function></tool_call>b"}'],
    ],
    [
      "a whole call in a value of XML",
      "qwen-xml",
      `<tool_call><function=web_search><parameter=query>${bare}</parameter></function></tool_call>`,
      ["malformed"],
    ],
    [
      "two objects separated by a space",
      "json",
      `${simple} ${simple}`,
      ["web_search{}", " ", "web_search{}"],
    ],
    [
      "two objects in one block",
      "hermes",
      between(`${simple} ${simple}`),
      ["web_search{}", "web_search{}"],
    ],
    [
      "arguments as a JSON string",
      "hermes",
      between(quoted('"{\\"a\\":1}"')),
      ['web_search{"a":1}'],
    ],
    [
      "arguments as a Python value in a string",
      "hermes",
      between(quoted(`"{'a': None}"`)),
      ['web_search{"a":null}!'],
    ],
    ["arguments an empty text", "hermes", between(quoted('""')), ["web_search{}!"]],
    ["arguments null", "hermes", between(quoted("null")), ["web_search{}!"]],
    ["arguments a list", "hermes", between(quoted("[1]")), ["malformed"]],
    ["arguments missing", "hermes", between('{"name":"web_search"}'), ["malformed"]],
    ["name missing", "hermes", between('{"arguments":{}}'), ["malformed"]],
    [
      "None and True",
      "hermes",
      between(quoted('{"a":None,"b":True}')),
      ['web_search{"a":null,"b":true}!'],
    ],
    [
      "single quotes",
      "hermes",
      between("{'name':'web_search','arguments':{'a':'b'}}"),
      ['web_search{"a":"b"}!'],
    ],
    ["trailing comma", "hermes", between(quoted('{"a":1,}')), ['web_search{"a":1}!']],
    [
      "raw line break in a string",
      "hermes",
      between(quoted('{"a":"b\nc"}')),
      ['web_search{"a":"b\\nc"}!'],
    ],
    [
      "missing brace",
      "hermes",
      between('{"name":"web_search","arguments":{"a":1}'),
      ['web_search{"a":1}!'],
    ],
    [
      "quotes in a string",
      "hermes",
      between(quoted('{"query":"say "hi" now"}')),
      ['web_search{"query":"say \\"hi\\" now"}!'],
    ],
    [
      "a long string with raw line breaks",
      "hermes",
      between(quoted(`{"query":"${"It's 5\n".repeat(30_000)}",}`)),
      [`web_search{"query":"${"It's 5\\n".repeat(30_000)}"}!`],
    ],
    [
      "more to mend than anyone could check",
      "hermes",
      between(quoted(`{"a":[${"True,".repeat(5000)}]}`)),
      ["malformed"],
    ],
    ["extra brace", "hermes", between(`${simple}}`), ["web_search{}!"]],
    ["repaired, but against the schema", "hermes", between(quoted('{"query":1,}')), ["malformed"]],
    ...[
      { additionalProperties: false },
      { additionalProperties: false, patternProperties: { "^x": {} } },
    ].map(
      (rest): Row => [
        `repaired, with ${JSON.stringify(rest)}`,
        "hermes",
        between(quoted('{"x":1,}')),
        "patternProperties" in rest ? ['web_search{"x":1}!'] : ["malformed"],
        { tools: [{ name: "web_search", inputSchema: { type: "object", ...rest } }] },
      ],
    ),
    [
      "a quote without its other half",
      "json",
      '{"name":"web_search","arguments":{"query":"say "hi now"\n}}\nb',
      ["malformed", "\nb"],
    ],
    ["a Windows path", "hermes", between(quoted('{"a":"C:\\Users",}')), ["malformed"]],
    ["a regular expression", "hermes", between(quoted('{"a":"\\d+",}')), ["malformed"]],
    [
      "a string without an end",
      "hermes",
      `${between('{"name":"web_search","arguments":{"a":"x}}')} b`,
      ["malformed", " b"],
    ],
    ["prose in a block", "hermes", between("I think so"), ["malformed"]],
    ["a repeated key", "hermes", between(quoted('{"a":1,"a":2}')), ["malformed"]],
    ["a fence inside", "hermes", between(`\n\`\`\`json\n${simple}\n\`\`\`\n`), ["web_search{}"]],
    [
      "a byte order mark and a selector",
      "smiley",
      `${S}\ufe0f\n\ufeff${simple}\n${S}\ufe0f b`,
      ["web_search{}", " b"],
    ],
    [
      "text between the section and its call",
      "kimi",
      "<|tool_calls_section_begin|>hm<|tool_call_begin|>functions.web_search:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
      ["web_search{}"],
    ],
    [
      "written line breaks between tags",
      "glm",
      "<tool_call>web_search\\n<arg_key>query</arg_key>\\n<arg_value>a\\nb</arg_value>\\n<arg_key>count</arg_key>\\n<arg_value>2</arg_value>\\n</tool_call> b",
      ['web_search{"query":"a\\\\nb","count":2}', " b"],
    ],
    [
      "tags of Seed-OSS",
      all,
      "<seed:tool_call>\n<function=web_search>\n<parameter=query>x</parameter>\n</function>\n</seed:tool_call> b",
      ['web_search{"query":"x"}', " b"],
    ],
    ["tags of Nemotron", all, `<TOOLCALL>[${simple}]</TOOLCALL> b`, ["web_search{}", " b"]],
    [
      "tokens of LFM2",
      all,
      "a <|tool_call_start|>[web_search(query='x')]<|tool_call_end|> b",
      ["a ", 'web_search{"query":"x"}', " b"],
    ],
    [
      "typographic quotes in a fence",
      "json",
      "```json\n{“name”: “web_search”, “arguments”: {“query”: “x”}}\n```",
      ["malformed"],
    ],
    [
      "an opener that prose mentions",
      "hermes",
      `Use <tool_call> for it. ${"x".repeat(600)}`,
      [`Use <tool_call> for it. ${"x".repeat(600)}`],
    ],
  ]);
});

describe("no call", () => {
  const definition =
    '{"name":"web_search","parameters":{"type":"object","properties":{"query":{}}}}';
  const rows: readonly Row[] = [
    ["in inline code", "json", `Write \`${simple}\` for it.`, []],
    ["in inline code, delimited", "hermes", `Write \`${between(simple)}\` for it.`, []],
    ["in inline code, smileys", "smiley", `Write \`${S}${simple}${S}\` for it.`, []],
    ["in quotes", "hermes", `Write "${between(simple)}" for it.`, []],
    ["in quotes, JSON", "json", `Write '${simple}' for it.`, []],
    ["in a quoted line", "json", `> ${simple}\n`, []],
    ["a longer word", "phi", `myfunctools[${simple}]`, []],
    ["an argument that is named twice", "pythonic", "[web_search(query='a', query='b')]", []],
    ["a text over lines in Python", "pythonic", "[web_search(query='a\nb')]", []],
    [
      "an example in a call of an unknown tool",
      "anthropic-xml",
      '<function_calls><invoke name="zz"><parameter name="a"><invoke name="web_search"></invoke></parameter></invoke></function_calls>',
      [],
    ],
    ["a definition", "json", definition, []],
    ["a list of definitions", "json", `\`\`\`json\n[${definition}]\n\`\`\``, []],
    ["OpenAI's definition", "json", `{"type":"function","function":${definition}}`, []],
    ["a configuration", "json", '{"mcpServers":{"mock":{"command":"node","args":["a.js"]}}}', []],
    [
      "a package",
      "json",
      '```json\n{"name":"web_search","version":"1.0.0","scripts":{"a":"b"}}\n```',
      [],
    ],
    ["an ordinary record", "json", '{"name":"web_search","parameters":"none"}', []],
    ["an unknown tool", "json", '{"name":"zz","arguments":{}}', []],
    ["a call inside other data", "json", `{"example":${simple}}`, []],
    ["a Python fence", all, "```python\nweb_search(query='a')\n[web_search(query='a')]\n```", []],
    ["JSON in a Python fence", all, `\`\`\`python\n${simple}\n${between(simple)}\n\`\`\``, []],
    ["a fence with other code", "json", "```json\n// a list\n[1, 2]\n```", []],
    ["a fence with a style", "json", "```\n{ color: red; }\n```", []],
    ["a record with single quotes", "json", "{'name': 'web_search', 'version': '1'}", []],
    ["a definition with a comma too many", "json", `\`\`\`json\n[${definition},]\n\`\`\``, []],
    [
      "in a fence below other lines",
      "hermes",
      `\`\`\`\nLike this:\n${between(simple)}\n\`\`\``,
      [],
    ],
    ...[
      "- ```python src/main.py",
      "1. ```xml an example of it",
      "  * ``` xml",
      "12) + ```xml of a call",
      "Like so: ```<example>",
    ].map(
      (line): Row => [
        `in a fence that begins as ${line}`,
        "hermes",
        `${line}\n  Like this:\n${between(simple)}\n  \`\`\`\nb`,
        [],
      ],
    ),
    ["in a fence of tildes below other lines", "json", `~~~\nx\n${simple}\n~~~`, []],
    ["in <think>", all, `<think>${between(simple)}${simple}${S}${simple}${S}</think>`, []],
    ["in <think> that never ends", all, `<think>${between(simple)} ${simple}`, []],
    ["in [THINK]", all, `[THINK]${simple}[/THINK]`, []],
    ["in <thought>", all, `<thought>${between(simple)}</thought>`, []],
    ["in <reasoning>", all, `<reasoning>${between(simple)}</reasoning>`, []],
    ["in Seed's thoughts", all, `<seed:think>${between(simple)}</seed:think>`, []],
    ["in Gemma's thoughts", all, `<|channel>thought\n${between(simple)}<channel|>`, []],
    ["prose with braces", all, "if (a) { b(); } [link](url) a < b <b>c</b> functools.", []],
    ["broken JSON of an unknown tool", "json", '{"name":"zz","arguments":{}', []],
    ["a Markdown link", "pythonic", "[web_search](https://example.org) [web_search(x)](y)", []],
    ["an edit block", all, "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", []],
  ];
  run(rows.map(([name, id, text]): Row => [name, id, text, [text]]));

  run([
    [
      "but after the reasoning there is",
      all,
      `<think>hm</think>${between(simple)}`,
      ["<think>hm</think>", "web_search{}"],
    ],
    [
      "but behind a tag that a sentence mentions there is",
      all,
      `Use <reasoning> and <thought> tags. ${between(simple)}`,
      ["Use <reasoning> and <thought> tags. ", "web_search{}"],
    ],
    [
      "but after a lone backtick there is",
      "json",
      `a \` b\n${simple}`,
      ["a ` b\n", "web_search{}"],
    ],
    ...Object.entries({
      "a fence in a quoted line": "> ```js\n> code\n> ```\n\n",
      "a fence in a quoted item": "- > ```js\n  > code\n  > ```\n\n",
      "backticks that a sentence speaks of": "Put ```json above it.\n",
      "backticks in brackets": "Put a fence (```)\n",
      "backticks that end a sentence": "- Write no ```.\n",
      "an item that begins with a fence": "- ```js title=x\n  code\n  ```\n",
    }).map(
      ([name, above]): Row => [
        `but below ${name} there is`,
        "hermes",
        `${above}${between(simple)}`,
        [above, "web_search{}"],
      ],
    ),
    [
      "but alone in a fence it is one to look at",
      "hermes",
      `\`\`\`\n${between(simple)}\n\`\`\``,
      ["```\n", "web_search{}!", "\n```"],
    ],
  ]);
});

describe("unknown tools", () => {
  const call = '{"name":"zz","arguments":{}}';
  const smiley = `${S}${call}${S}`;
  const delimited = `<<<TOOL_CALL>>>${call}<<<END_TOOL_CALL>>>`;
  const salvage: Asked = { asked: [] };
  const kimi = "<|tool_call_begin|>functions.zz:0<|tool_call_argument_begin|>{}<|tool_call_end|>";
  run([
    ["smiley", "smiley", smiley, ["zz{}"]],
    ["delimited", "delimited", delimited, ["zz{}"]],
    ["hermes", "hermes", between(call), ["zz{}"]],
    ["hermes, salvaged", "hermes", between(call), [between(call)], salvage],
    ["kimi", "kimi", kimi, [kimi]],
    ["json, when any name is taken", "json", call, ["zz{}"], { tools: [] }],
    ["json, one of two known", "json", `[${simple},${call}]`, ["web_search{}", "zz{}"]],
  ]);
});
