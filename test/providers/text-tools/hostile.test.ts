import { describe, expect, test } from "vitest";
import { createDetector } from "../../../src/providers/text-tools/detector.ts";
import { detectableProtocols } from "../../../src/providers/text-tools/protocol-ids.ts";
import { detect, merged, outline, S, sourceOf, tools } from "./detect.ts";

const all = [...detectableProtocols.keys()].join(",");
const megabyte = 1_000_000;
const many = (text: string, size = 200_000) => text.repeat(Math.ceil(size / text.length));

/** What costs a quadratic reader minutes; here all of them have to fit into the time of one test. */
const hostile: readonly (readonly [string, string])[] = [
  ["{", many("{", megabyte)],
  ['{"a":', many('{"a":', megabyte)],
  ['{"a', many('{"a')],
  ["{x", many("{x")],
  ["[", many("[", megabyte)],
  ["[{", many("[{")],
  ["<a>", many("<a>", megabyte)],
  ["<a.b>", many("<a.b>")],
  ["<", many("<", megabyte)],
  ["<tool_request>", many("<tool_request>")],
  ["<tool_call>", many("<tool_call>")],
  ['<tool_call>{"', many('<tool_call>{"')],
  ["half delimiters", many("<<<TOOL_CALL>>", megabyte)],
  ["half smileys", many("😊".repeat(13))],
  ["smileys", many("😊")],
  ["openers", many("<<<TOOL_CALL>>>{")],
  ["closers in strings", `<tool_call>{"</tool_call>${many('<tool_call>{\\"</tool_call>')}`],
  ["smileys in strings", `${S}{"${S}${many(`${S}{\\"${S}`)}`],
  ["sections", many("<|tool_calls_section_begin|>")],
  ["invokes", many('<invoke name="web_search">')],
  ["values", many('<invoke name="web_search"><parameter name="a"></parameter>')],
  ...[" ", "\\n", "\n"].map(
    (filling) =>
      [
        `GLM's values and ${JSON.stringify(filling)}`,
        `<tool_call>web_search<arg_key>query</arg_key><arg_value>${many(filling, megabyte)}x</arg_value></tool_call>`,
      ] as const,
  ),
  ["closed values", `<function=web_search>${many("<parameter=a></parameter>")}</function>`],
  ["lists", many("[web_search(")],
  ["ticks", many("`")],
  ["fences", many("```json\n{")],
  ["spaces behind an opener", `<tool_call>${many(" ")}`],
  ["spaces behind a call", `<tool_call>{"name":"a","arguments":{}}</tool_call>${many(" ")}`],
  ["nesting", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  [
    "nested arguments",
    `<tool_call>{"name":"a","arguments":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}</tool_call>`,
  ],
  [
    "nested and broken",
    `<tool_call>{"name":"a","arguments":{"a":${"[".repeat(100_000)}}}</tool_call>`,
  ],
  ...[" ", "```\n ", "``` "].map(
    (filling) =>
      [
        `a DeepSeek fence and ${JSON.stringify(filling)}`,
        `<｜tool▁call▁begin｜>function<｜tool▁sep｜>web_search\n\`\`\`json\n${many(filling)}x<｜tool▁call▁end｜>`,
      ] as const,
  ),
  ["quotes that end nowhere", `<tool_call>{${many("it's ,", 8000)}</tool_call>`],
  ["quotes that end nowhere, often", many(`<tool_call>{${many("it's ,", 2000)}</tool_call>`)],
  ["brackets to mend", `<tool_call>[${many(")\n")}*/</tool_call>`],
  ["words to mend, often", many(`<tool_call>{${many("true\n", 8000)}}</tool_call>`)],
  ["rows with one too few", many(`${"😊".repeat(13)}{"name":"a",`)],
  ["rows and prose", many(`${S} a {b} `)],
  ["spaced smileys", many("😊 ")],
  ["double brackets", many('{{"name":')],
  ["single quotes", many("{'a':", megabyte)],
  ["broken calls", many('{"name":"web_search","arguments":{} x ')],
  ["broken fences", many('```json\n{"name":"web_search","arguments":{} x ')],
  ["one broken fence", `\`\`\`json\n{"name":"web_search" x${many('"type":"object","name":')}`],
  ["commented fences", many("```\n// a\n")],
  ["spaces in a broken fence", `\`\`\`json\n{"name":"a" x${many(" ")}y`],
  ["tags of no family", many("<tool_call>{<tool>{")],
  ["records", many('{"a":1,"b":{"c":"d"}} ')],
];

describe("hostile text", () => {
  test.each(hostile)("of %s is read in time, and whole", (_, text) => {
    expect(sourceOf(detect(all, text)) === text).toBe(true);
  });

  test("costs no more in small chunks", () => {
    const text = many('<tool_call>{"a":"', megabyte);
    expect(sourceOf(detect(all, text, { chunks: [3] })) === text).toBe(true);
  });

  test("in small chunks gives the same as in one", () => {
    for (const [, text] of hostile) {
      const part = text.slice(0, 20_000);
      expect(merged(detect(all, part, { chunks: [13, 1] }))).toEqual(merged(detect(all, part)));
    }
  });
});

describe("a block that is too large", () => {
  const long = `{"name":"web_search","arguments":{"query":"${"é".repeat(500)}"}}`;
  const options = { maxCallBytes: 200 };

  test("is malformed in pieces, and what follows it is read", () => {
    const text = `a <tool_call>${long}</tool_call> b <tool_call>{"name":"x","arguments":{}}</tool_call>`;
    const events = detect("hermes", text, { ...options, chunks: [9] });
    expect(sourceOf(events)).toBe(text);
    expect(outline(events).filter((item) => item !== "malformed")).toEqual(["a ", " b ", "x{}"]);
    const pieces = events.filter((event) => event.type === "malformed");
    expect(pieces.filter((piece) => !piece.continued)).toHaveLength(1);
    for (const { raw } of pieces) expect(Buffer.byteLength(raw)).toBeLessThanOrEqual(202);
  });

  test("is text when nothing marks it", () => {
    expect(outline(detect("json", long, options))).toEqual([long]);
  });

  test("counts bytes", () => {
    const limit = Buffer.byteLength(`<tool_call>${long}</tool_call>`);
    const found = (maxCallBytes: number) =>
      outline(detect("hermes", `<tool_call>${long}</tool_call>`, { maxCallBytes }))[0];
    expect(found(limit)).toMatch(/^web_search/);
    expect(found(limit - 2)).toBe("malformed");
  });
});

describe("what is shown at once", () => {
  test.each([...detectableProtocols.keys()])("%s holds back no more than an opener", (id) => {
    const detector = createDetector({ protocols: [id], tools, asked: [id] });
    const text = "Some prose, with (a) number of [things] and a < b, in it.";
    let shown = 0;
    for (let at = 0; at < text.length; at += 1) {
      for (const event of detector.push(text.charAt(at))) {
        if (event.type === "text") shown += event.text.length;
      }
      expect(at + 1 - shown).toBeLessThanOrEqual(S.length);
    }
  });

  test("text before a call comes before the call is complete, and tells that one is pending", () => {
    const detector = createDetector({ protocols: ["hermes"], tools, asked: ["hermes"] });
    expect(detector.push("I search.\n<tool_c")).toEqual([{ type: "text", text: "I search.\n" }]);
    expect(detector.push('all>{"name"')).toEqual([{ type: "pending" }]);
    expect(detector.push(':"web_search","arguments":{}}</tool_cal')).toEqual([]);
  });

  test.each([
    ["```lua", "```lua"],
    ["see ``` here", "see ``` here"],
    ["```jsx", "```jsx"],
    ["```json ", ""],
    ["```JSON", ""],
    ["```json5 x", "```json5 x"],
    ["of", "of"],
  ])("what cannot become a call is shown at once: %j", (text, expected) => {
    const detector = createDetector({ protocols: ["json", "phi"], tools, asked: [] });
    const shown = [...text]
      .flatMap((character) => detector.push(character))
      .map((event) => (event.type === "text" ? event.text : ""));
    expect(shown.join("")).toBe(expected);
  });

  test("an ordinary record is shown when its keys tell", () => {
    const detector = createDetector({ protocols: ["json"], tools, asked: ["json"] });
    const record = '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,';
    const events = detector.push(record);
    expect(events.at(-1)).toMatchObject({ type: "text" });
  });
});
