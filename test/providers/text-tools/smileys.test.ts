import { detectableProtocols } from "../../../src/providers/text-tools/protocol-ids.ts";
import { type Row, run, S } from "./detect.ts";

const simple = '{"name":"web_search","arguments":{}}';
const all = [...detectableProtocols.keys()].join(",");
const block = (open: number, close: number) =>
  `${"😊".repeat(open)}${simple}${"😊".repeat(close)} b`;
run([
  ["13 and 14", "smiley", block(13, 14), ["malformed", " b"]],
  ["15 and 14", "smiley", block(15, 14), ["malformed", " b"]],
  ["13 and none", "smiley", `${"😊".repeat(13)}${simple} b`, ["malformed", " b"]],
  ["8 and 8", "smiley", block(8, 8), ["malformed", " b"]],
  ["7 and 7 are decoration", "smiley", block(7, 7), [block(7, 7)]],
  [
    "13 around an object without a name",
    "smiley",
    `${"😊".repeat(13)}{"a":1}${"😊".repeat(13)} b`,
    [`${"😊".repeat(13)}{"a":1}${"😊".repeat(13)} b`],
  ],
  [
    "a row in front of prose, then a call",
    "smiley",
    `${"😊".repeat(20)} Hi {there}!\n${S}${simple}${S}`,
    [`${"😊".repeat(20)} Hi {there}!\n`, "web_search{}"],
  ],
  [
    "text in front of the object",
    "smiley",
    `${S}\nI search: ${simple}\n${S} b`,
    ["malformed", " b"],
  ],
  [
    "a tool's name in front of its arguments",
    "smiley",
    `${S}\nweb_search\n{"query":"a"}\n${S}`,
    ["malformed"],
  ],
  [
    "a tool's name in front of its arguments, and text behind",
    "smiley",
    `${S}\nweb_search {"query":"a"}\n${S} b`,
    ["malformed", " b"],
  ],
  [
    "a row, a tool's name and data, without a closing row",
    "smiley",
    `${S}\nweb_search takes {"query":"a"}, as I said.`,
    [`${S}\nweb_search takes {"query":"a"}, as I said.`],
  ],
  [
    "rows around prose with data",
    "smiley",
    `${S}\nHello {"query":"a"}!\n${S}\nb`,
    [`${S}\nHello {"query":"a"}!\n${S}\nb`],
  ],
  ["text behind the object", "smiley", `${S}${simple} so\n${S} b`, ["malformed", " b"]],
  ["two objects", "smiley", `${S}${simple}\n${simple}${S} b`, ["malformed", " b"]],
  ["13, salvaged", "smiley,json", block(13, 13), ["malformed", " b"], { asked: [] }],
  [
    "13 around an unknown tool, salvaged",
    "smiley",
    block(13, 13).replace("web_search", "zz"),
    [block(13, 13).replace("web_search", "zz")],
    { asked: [] },
  ],
  ["14 and 13", "smiley", block(14, 13), ["malformed", " b"]],
  ["14 and 15", "smiley", block(14, 15), ["malformed", " b"]],
  [
    "28 close one block and open the next",
    "smiley",
    `${S}${simple}${S}${S}${simple}${S}`,
    ["web_search{}", "web_search{}"],
  ],
  ["28 in front", "smiley", block(28, 14), ["web_search{}", " b"]],
  [
    "a decorative row",
    "smiley",
    `${S}\nHello!\n${S}\n${simple}\n${S}`,
    [`${S}\nHello!\n`, "web_search{}"],
  ],
  [
    "a row, the name of a tool and a whole block",
    "smiley",
    `${S}\nweb_search it is:\n${S}\n${simple}\n${S}`,
    [`${S}\nweb_search it is:\n`, "web_search{}"],
  ],
  ["rows around prose at the end", "smiley", `${S} Hello! ${S}\n`, [`${S} Hello! ${S}\n`]],
  [
    "two rows around prose, then a block",
    "smiley",
    `${S} Hi ${S}\nb\n${S}${simple}${S}`,
    [`${S} Hi ${S}\nb\n`, "web_search{}"],
  ],
  ["rows around prose", "smiley", `${S}\nHello!\n${S}\nb`, [`${S}\nHello!\n${S}\nb`]],
  ...[
    "web_search a",
    "web_search(query='a')",
    "name: web_search\nquery: a",
    "<function=web_search>",
  ].flatMap((call): Row[] => [
    [`rows around ${call}`, all, `a ${S}\n${call}\n${S}\nb`, ["a ", "malformed", "\nb"]],
    [`rows around ${call} at the end`, all, `a ${S}\n${call}\n${S}`, ["a ", "malformed"]],
  ]),
  ["a row at the end", "smiley", `a ${S}\n`, ["a ", "malformed"]],
  ["a forgotten opener", all, `${simple}\n${S}\nb`, ["web_search{}", "\nb"]],
  [
    "one row between two objects",
    all,
    `${S}${simple}${S}\n${simple}\n${S}`,
    ["web_search{}", "\n", "web_search{}"],
  ],
  [
    "another face",
    "smiley",
    `${"😀".repeat(14)}${simple} 😊 😀`,
    [`${"😀".repeat(14)}${simple} 😊 😀`],
  ],
  [
    "selectors between",
    "smiley",
    `${"😊\ufe0f".repeat(14)}${simple}${"😊\ufe0f".repeat(14)}`,
    ["web_search{}"],
  ],
  [
    "spaces between",
    "smiley",
    `${"😊 ".repeat(14)}${simple}${"😊 ".repeat(14)}b`,
    ["malformed", "b"],
  ],
  ["invalid JSON", "smiley", `${S}{"name": oops here}${S} b`, ["malformed", " b"]],
  [
    "a forgotten end, then a whole block",
    "smiley",
    `${S}${simple} so\n${S}\n${simple}\n${S}`,
    ["malformed", "web_search{}"],
  ],
]);
