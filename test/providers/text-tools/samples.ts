/** One answer in each form, with what it holds. Every value is chosen to look like an end. */
import { S } from "./detect.ts";

export interface Sample {
  readonly id: string;
  readonly text: string;
  readonly found: readonly string[];
}

const args = '{"query":"} </tool_call> <<<END_TOOL_CALL>>> ```"}';
const call = `{"name":"web_search","arguments":${args}}`;
const found = `web_search${args}`;
const simple = '{"name":"web_search","arguments":{}}';

export const samples: readonly Sample[] = [
  { id: "smiley", text: `a ${S}\n${call}\n${S} b`, found: ["a ", found, " b"] },
  {
    id: "smiley",
    text: `${S}{"name":"a","arguments":{"s":"${S}"}}${S}${S}${simple}${S}`,
    found: [`a{"s":"${S}"}`, "web_search{}"],
  },
  {
    id: "delimited",
    text: `a <<<TOOL_CALL>>>\n{"name":"web_search","arguments":{"q":"<<<END_TOOL_CALL>>>"}}\n<<<END_TOOL_CALL>>>\nb`,
    found: ["a ", 'web_search{"q":"<<<END_TOOL_CALL>>>"}', "\nb"],
  },
  { id: "hermes", text: `a <tool_call>\n${call}\n</tool_call> b`, found: ["a ", found, " b"] },
  { id: "json", text: `a\n\`\`\`json\n${call}\n\`\`\`\nb`, found: ["a\n", found, "\nb"] },
  { id: "json", text: `a ${call} b`, found: ["a ", found, " b"] },
  {
    id: "qwen-xml",
    text: "<tool_call>\n<function=web_search>\n<parameter=query>\na </parameter> </tool_call> b\n</parameter>\n<parameter=count>\n3\n</parameter>\n</function>\n</tool_call>",
    found: ['web_search{"query":"a </parameter> </tool_call> b","count":3}'],
  },
  {
    id: "llama",
    text: '<|python_tag|>{"name":"web_search","parameters":{"query":"<|eom_id|>"}}; {"name":"web_search","parameters":{}}<|eom_id|>',
    found: ['web_search{"query":"<|eom_id|>"}', " ", "web_search{}"],
  },
  {
    id: "llama",
    text: '<function=web_search>{"query":"</function>"}</function> b',
    found: ['web_search{"query":"</function>"}', " b"],
  },
  {
    id: "mistral",
    text: '[TOOL_CALLS] [{"name":"web_search","arguments":{"query":"]"}},{"name":"mock.search","arguments":{}}] b',
    found: ['web_search{"query":"]"}', "mock.search{}", " b"],
  },
  {
    id: "mistral",
    text: '[TOOL_CALLS]web_search[CALL_ID]abc[ARGS]{"count":1}[TOOL_CALLS]mock.search{"a":2}',
    found: ['web_search{"count":1}', 'mock.search{"a":2}'],
  },
  {
    id: "kimi",
    text: '<|tool_calls_section_begin|> So: <|tool_call_begin|>functions.web_search:0<|tool_call_argument_begin|>{"query":"<|tool_call_end|>"}<|tool_call_end|><|tool_call_begin|>functions.mock.search:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>b',
    found: ['web_search{"query":"<|tool_call_end|>"}', "mock.search{}", "b"],
  },
  {
    id: "deepseek",
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>web_search\n```json\n{"count":1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    found: ['web_search{"count":1}'],
  },
  {
    id: "deepseek",
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>web_search<｜tool▁sep｜>{"count":1}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    found: ['web_search{"count":1}'],
  },
  {
    id: "deepseek",
    text: '<｜DSML｜function_calls>\n<｜DSML｜invoke name="mock.search">\n<｜DSML｜parameter name="a" string="true">1</｜DSML｜parameter>\n<｜DSML｜parameter name="b" string="false">[1]</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    found: ['mock.search{"a":"1","b":[1]}'],
  },
  {
    id: "glm",
    text: "<tool_call>web_search\n<arg_key>query</arg_key>\n<arg_value></tool_call> 12</arg_value>\n<arg_key>count</arg_key>\n<arg_value>1</arg_value>\n</tool_call>b",
    found: ['web_search{"query":"</tool_call> 12","count":1}', "b"],
  },
  {
    id: "minimax",
    text: '<minimax:tool_call>\n<invoke name="web_search">\n<parameter name="query">v</invoke></parameter>\n</invoke>\n<invoke name="mock.search">\n</invoke>\n</minimax:tool_call>',
    found: ['web_search{"query":"v</invoke>"}', "\n", "mock.search{}"],
  },
  {
    id: "harmony",
    text: '<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>commentary to=functions.web_search <|constrain|>json<|message|>{"count":1}<|call|>',
    found: ["<|channel|>analysis<|message|>x<|end|>", 'web_search{"count":1}'],
  },
  {
    id: "harmony",
    text: 'I search.\n\nto=functions.web_search json\n{"query":"} to=functions.x {","count":1} b',
    found: ["I search.\n\n", 'web_search{"query":"} to=functions.x {","count":1}', " b"],
  },
  { id: "granite", text: `<|tool_call|>[${simple}]`, found: ["web_search{}"] },
  { id: "granite", text: `<tool_call>[${simple}]`, found: ["web_search{}"] },
  { id: "phi", text: `functools[${simple}] b`, found: ["web_search{}", " b"] },
  {
    id: "gemma",
    text: '<|tool_call>call:web_search{query:<|"|>a } <tool_call|><|"|>,n:3,o:{x:[1,true]}}<tool_call|>',
    found: ['web_search{"query":"a } <tool_call|>","n":3,"o":{"x":[1,true]}}'],
  },
  {
    id: "gemma",
    text: '```tool_code\nprint(web_search(query="a"))\n```',
    found: ['web_search{"query":"a"}'],
  },
  {
    id: "gemma",
    text: '```tool_code\nweb_search(query="a")\nmock.search(b="c")\n```',
    found: ['web_search{"query":"a"}', 'mock.search{"b":"c"}'],
  },
  {
    id: "anthropic-xml",
    text: '<function_calls>\n<invoke name="web_search">\n<parameter name="query">a\nb</parameter>\n</invoke>\n</function_calls> b',
    found: ['web_search{"query":"a\\nb"}', " b"],
  },
  {
    id: "anthropic-xml",
    text: "<function_calls><invoke><tool_name>web_search</tool_name><parameters><query>a</query></parameters></invoke></function_calls>",
    found: ['web_search{"query":"a"}'],
  },
  {
    id: "pythonic",
    text: "[web_search(query=\"])\", count=1), mock.search(a=None, b=[True, 'x'])]",
    found: ['web_search{"query":"])","count":1}', 'mock.search{"a":null,"b":[true,"x"]}'],
  },
  {
    id: "pythonic",
    text: "<|python_start|>[web_search(count=1)]<|python_end|>",
    found: ['web_search{"count":1}'],
  },
  {
    id: "tool-request-xml",
    text: `a <tool_request>{"name":"web_search","arguments":{"query":"</tool_request>"}}</tool_request> b`,
    found: ["a ", 'web_search{"query":"</tool_request>"}', " b"],
  },
  {
    id: "simple-xml",
    text: '<tool_name>web_search</tool_name>\n<arguments>{"query":"</arguments>"}</arguments> <tool_name>mock.search</tool_name> b',
    found: ['web_search{"query":"</arguments>"}', " ", "mock.search{}", " b"],
  },
  {
    id: "simple-xml",
    text: "<tool_name>mock.search</tool_name><arguments><a>0644</a><b>1.5</b><c>true</c></arguments>",
    found: ['mock.search{"a":"0644","b":1.5,"c":true}'],
  },
  {
    id: "dotted-xml",
    text: 'a <mock.search><q> x y </q><n>3</n><o>{"k":[1]}</o></mock.search> b',
    found: ["a ", 'mock.search{"q":"x y","n":3,"o":{"k":[1]}}', " b"],
  },
];
