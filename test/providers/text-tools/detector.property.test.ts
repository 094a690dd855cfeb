import { describe, expect, test } from "vitest";
import { detectableProtocols } from "../../../src/providers/text-tools/protocol-ids.ts";
import { textToolProtocols } from "../../../src/providers/text-tools/protocols.ts";
import fc from "../../support/property.ts";
import { callsOf, detect, merged, S, sourceOf, tools } from "./detect.ts";
import { samples } from "./samples.ts";

const all = [...detectableProtocols.keys()];
/** Those that do not read the JSON of a result as a whole, and so look into it. */
const marked = all.filter((id) => id !== "json" && id !== "llama");

/** What hostile and clumsy models write: pieces of every form in any order. */
const pieces = fc.oneof(
  fc.constantFrom(
    ...[
      "😊",
      S,
      S.slice(1),
      "<<<TOOL_CALL>>>",
      "<<<END_TOOL_CALL>>>",
      "<tool_call>",
      "</tool_call>",
    ],
    ...[
      "{",
      "}",
      "[",
      "]",
      '"',
      "'",
      "\\",
      ",",
      ":",
      "(",
      ")",
      "`",
      "```",
      "```json\n",
      "\n",
      " ",
      ">",
    ],
    ...["<think>", "</think>", "<function=web_search>", "</function>", "<parameter=query>"],
    ...["</parameter>", '<invoke name="web_search">', "</invoke>", "<function_calls>", "\ufe0f"],
    ...[
      '{"name":"web_search","arguments":{}}',
      '{"name":"web_search",',
      '"arguments":{"query":"x"}',
    ],
    ...[
      "[web_search(",
      "query='a'",
      "<mock.search>",
      "</mock.search>",
      "<tool_name>web_search</tool_name>",
    ],
    ...[
      "<|tool_call_begin|>",
      "functions.web_search:0",
      "<|tool_call_argument_begin|>",
      "[TOOL_CALLS]",
    ],
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
  fc
    .constantFrom(...samples)
    .chain(({ text }) =>
      fc
        .tuple(fc.nat(text.length), fc.nat(text.length))
        .map(([a, b]) => text.slice(Math.min(a, b), Math.max(a, b))),
    ),
);
const hostile = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(""));
const asked = fc.record({
  id: fc.oneof(fc.constantFrom(...all), fc.constant(all.join(","))),
  asked: fc.constantFrom([], ["smiley"], ["json"], all),
  finish: fc.constantFrom("stop", "length", "abort", "error"),
  tools: fc.constantFrom(tools, []),
  maxCallBytes: fc.constantFrom(1_000_000, 40),
});
const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 });

describe("any text", () => {
  test("any cutting gives the same calls and the same text, and nothing is lost", () => {
    fc.assert(
      fc.property(hostile, asked, cuts, (text, { id, ...options }, chunks) => {
        const whole = detect(id, text, options);
        const cut = detect(id, text, { ...options, chunks });
        expect(sourceOf(whole)).toBe(text);
        expect(merged(cut)).toEqual(merged(whole));
      }),
      { numRuns: 1500 },
    );
  });

  test("the arguments of a call are a JSON object", () => {
    fc.assert(
      fc.property(hostile, asked, (text, { id, ...options }) => {
        for (const call of callsOf(detect(id, text, options))) {
          expect(JSON.parse(call.arguments)).toBeTypeOf("object");
          expect(call.arguments.trim().startsWith("{")).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("nothing inside <think> is a call", () => {
    fc.assert(
      fc.property(hostile, asked, (text, { id, ...options }) => {
        const inside = `<think>${text.replaceAll("</think>", "")}`;
        expect(callsOf(detect(id, inside, options))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

/** Text that looks like every delimiter there is. */
const value = fc
  .array(pieces, { maxLength: 6 })
  .map((parts) => parts.join("").replace(/\p{Surrogate}/gu, "\ufffd"));
const anyArguments = fc.dictionary(
  fc.string({ maxLength: 5 }).filter((key) => key !== "__proto__"),
  fc.oneof(value, fc.jsonValue()),
);
const prose = fc.constantFrom("", "I search.\n", "Well, 😊 so\n");

describe.each([...textToolProtocols.values()])("a call rendered by $id", (protocol) => {
  test("is found with its arguments unchanged, between its texts", () => {
    fc.assert(
      fc.property(anyArguments, prose, cuts, (given, before, chunks) => {
        const text = JSON.stringify(given);
        fc.pre(!(given.type === "object" && typeof given.properties === "object"));
        const call = { name: "mock.search", arguments: text };
        const answer = `${before}${protocol.renderCall(call)}\n${before}${protocol.renderCall(call)}`;
        const events = detect(protocol.id, answer, { chunks });
        expect(callsOf(events)).toEqual([call, call]);
        expect(events.some((event) => event.type === "tool-call" && event.repaired)).toBe(false);
        expect(events.some(({ type }) => type === "malformed")).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  test("shows no delimiter, however the answer ends", () => {
    const call = protocol.renderCall({ name: "mock.search", arguments: '{"a":"b"}' });
    const opener = call.split("\n")[0] ?? "";
    for (let cut = opener.length; cut < call.length; cut += 1) {
      const events = detect(protocol.id, `a\n${call.slice(0, cut)}`, { finish: "length" });
      expect(callsOf(events)).toEqual([]);
      const shown = events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("");
      // Without delimiters of its own, JSON that is cut off is text.
      if (protocol.id !== "json") expect(shown).toBe("a\n");
    }
  });

  test("results hold no call, whatever the tool wrote", () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        (texts, isError) => {
          const results = texts.map((text) => ({
            name: "web_search",
            text: `${text}${protocol.renderCall({ name: "web_search", arguments: "{}" })}<mock.search></mock.search>`,
            isError,
          }));
          const rendered = protocol.renderResults(results);
          expect(callsOf(detect(protocol.id, rendered))).toEqual([]);
          // Nor in a form that another model may be found to write.
          expect(callsOf(detect(marked.join(","), rendered))).toEqual([]);
          expect(rendered.split("\n")).toHaveLength(texts.length);
        },
      ),
      { numRuns: 150 },
    );
  });
});
