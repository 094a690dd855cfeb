/** Arbitraries for text that imitates structure: every marker in every spelling, fences, backslashes, line ends. */

import type { Decision } from "../../src/transcript/decisions.ts";
import { markerText } from "../../src/transcript/markers.ts";
import type { ResultInput } from "../../src/transcript/result-block.ts";
import type { ResultStatus, ToolCall } from "../../src/transcript/transcript.ts";
import fc from "../support/property.ts";

/** Each marker with and without U+FE0F, except the comment. */
export const markerSpellings = Object.entries(markerText).flatMap(([name, text]) => {
  const bare = text.replace(/\uFE0F?:$/u, "");
  return name === "comment" ? [text] : [`${bare}:`, `${bare}\uFE0F:`];
});

const pieces = [
  ...markerSpellings,
  ...["💬", "🛠", "\uFE0F", ":", "<!--", "<!-- parley", "\\", "\\\\", "[ya]", "[auto]", "[x]"],
  ...["`", "``", "```", "````", "```js", "~~~", "[END]", " ", "\t", "[a][b]", "(error)", "[", "]"],
  ...[
    "step {} -->",
    "unfinished open -->",
    'step {"tail":true} -->',
    "text",
    "é",
    "🌿:x](y)",
    "---",
  ],
  ...["![image/png](a.png)", "[full text](a.txt)", "@@./a@@", "[^1]: note", "a id=1", "{", "}"],
];

export const line: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((p) => p.join("")),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: "binary", maxLength: 12 }).map((s) => s.replace(/\n/g, "")),
  },
  { weight: 1, arbitrary: fc.constant("") },
);

const lineEnd = fc.constantFrom("\n", "\n", "\n", "\r\n", "\r");

/** Text from a model or a tool: any line ends, any look-alikes. */
export const text: fc.Arbitrary<string> = fc
  .array(fc.tuple(line, lineEnd), { maxLength: 8 })
  .chain((lines) => fc.tuple(fc.constant(lines.map((l) => l.join("")).join("")), line))
  .map((parts) => parts.join(""));

const callJson = (id: string, args: string) =>
  JSON.stringify({ id, type: "function", function: { name: "t", arguments: args } });

/** Lines of a file that are likely to be structure, valid or broken. */
export const fileLine: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: line },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...["💬: question", "💬: ", "🤖:[Model]", "🤖: text behind it", "🧠: thought", "🧠:[END]"],
      ...["📝: summary", "🌿: file: topic", "🔒: private", "🔧: tool id=1", "📎: tool id=1"],
      ...["```json", "```", "````", "", "", "text", "`span`", "<!-- parley:unfinished open -->"],
      ...["<!-- parley:unfinished stopped -->", "<!-- parley:step {} -->", "💬: @@./a.ts@@"],
      ...['<!-- parley:step {"model":"a/b","tail":true} -->', "🛠️: [t][1]", "🛠️: [t][2] (error)"],
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom("", "[ya]", "[yn]", "[auto]", "[no]"), fc.constantFrom("1", "2", "3"))
      .map(([mark, id]) => `❓:${mark} \`${callJson(id, '{"a":1}')}\``),
  },
  { weight: 1, arbitrary: fc.constant(`❓: \`${callJson("1", '{"a":1,"a":2}')}\``) },
  { weight: 1, arbitrary: fc.constant("❓:[ya] `{`") },
);

/** No header, or that of a chat of the Lua Parley, which may end in footnotes. */
const header = fc.constantFrom<string[]>([], [], ["---", "file: x", "---"]);

export const fileLines: fc.Arbitrary<string[]> = fc
  .tuple(header, fc.array(fileLine, { maxLength: 30 }))
  .map((parts) => parts.flat())
  .chain((lines) => fc.boolean().map((dos) => (dos ? lines.map((l) => `${l}\r`) : lines)));

export const decision: fc.Arbitrary<Decision | null> = fc.constantFrom(
  ...(["yA", "ya", "yo", "yO", "yn", "yN", "auto", null] as const),
);

export const call: fc.Arbitrary<ToolCall> = fc.record({
  id: fc.oneof(fc.string({ maxLength: 8 }), line),
  name: fc.oneof(
    fc.constant("web_search"),
    line.filter((name) => name !== ""),
  ),
  arguments: fc.oneof(
    fc.json(),
    text.filter((args) => !/"/.test(args)),
  ),
});

const fileName = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,8}$/);

export const result: fc.Arbitrary<ResultInput> = fc.record({
  name: line,
  callId: line,
  status: fc.constantFrom<ResultStatus>("ok", "error", "declined", "cancelled", "timeout"),
  attachments: fc.array(
    fc.record({ mime: fc.stringMatching(/^[a-z]{1,5}\/[a-z0-9.+-]{1,8}$/), file: fileName }),
    { maxLength: 2 },
  ),
  fullText: fc.option(fileName),
  text,
});
