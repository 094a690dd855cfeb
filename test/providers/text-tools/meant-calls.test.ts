/** What was meant as a call and is not JSON: reported to the model with its reason, in every mode. */
import { describe, expect, test } from "vitest";
import { textToolProtocols } from "../../../src/providers/text-tools/protocols.ts";
import { callsOf, detect, merged, outline, sourceOf } from "./detect.ts";

const simple = '{"name":"web_search","arguments":{}}';

describe("what was meant as a call and is not JSON", () => {
  const fence = (content: string) => `\`\`\`json\n${content}\n\`\`\``;
  const rows: readonly (readonly [name: string, json: string, reason: RegExp])[] = [
    [
      "a trailing comma",
      '{"name":"web_search","arguments":{"query":"a",}}',
      /there is a comma before }/,
    ],
    ["single quotes", "{'name':'web_search','arguments':{'query':'a'}}", /single quotes/],
    ["keys without quotes", '{name:"web_search",arguments:{query:"a"}}', /key name has no quotes/],
    ["a comment", '{"name":"web_search", // search\n"arguments":{"query":"a"}}', /a comment/],
    ["a long comment", '{"name":"web_search","arguments":{/* none **/}}', /a comment/],
    ["None", '{"name":"web_search","arguments":{"query":None}}', /None is not a JSON value/],
    ["a path", '{"name":"web_search","arguments":{"query":"C:\\Users"}}', /backslash/],
    ["quotes in a text", '{"name":"web_search","arguments":{"query":"say "hi" now"}}', /JSON/],
    ["a repeated key", '{"name":"web_search","arguments":{"a":1,"a":2}}', /repeats the key/],
    ["a list of arguments", '{"name":"web_search","arguments":[1]}', /not a JSON object/],
    [
      "an end that is missing",
      '{"name":"web_search","arguments":{"query":"a"}',
      /JSON|its end is missing/,
    ],
    [
      "a mistake in a list",
      '[{"name":"web_search","arguments":{"query":"a"},},{"name":"mock.search","arguments":{}}]',
      /there is a comma before }/,
    ],
    [
      "a mistake beside a request",
      '{"thoughts":"a","tool_request":{"name":"web_search","parameters":{"query":"a"}},}',
      /there is a comma before }/,
    ],
  ];
  describe.each([
    ["asked for JSON", ["json"]],
    ["asked for smileys", ["smiley"]],
    ["asked for nothing", []],
  ])("%s", (_, asked) => {
    test.each(rows)("%s is told in a fence, and what follows is text", (_name, json, reason) => {
      const text = `a\n${fence(json)}\nb`;
      const events = merged(detect("json,smiley,hermes,llama", text, { asked }));
      expect(outline(events)).toEqual(["a\n", "malformed", "\nb"]);
      expect(events[1]).toMatchObject({ reason: expect.stringMatching(reason) });
      for (const chunks of [[1], [2, 5]]) {
        expect(merged(detect("json,smiley,hermes,llama", text, { asked, chunks }))).toEqual(events);
      }
    });

    test.each(rows)("%s is told in prose", (_name, json, reason) => {
      // Without quotes it is code far more often than a call.
      if (/^\{\w/.test(json)) return;
      const text = `a ${json}\n\nb`;
      const events = merged(detect("json,smiley,hermes,llama", text, { asked }));
      expect(outline(events).slice(0, 2)).toEqual(["a ", "malformed"]);
      expect(events[1]).toMatchObject({ reason: expect.stringMatching(reason) });
      expect(sourceOf(events)).toBe(text);
      expect(merged(detect("json,smiley,hermes,llama", text, { asked, chunks: [1] }))).toEqual(
        events,
      );
    });

    test.each(rows)("%s is text in an answer that was cut", (_name, json) => {
      const text = `a\n${fence(json)}`.slice(0, -4);
      const events = detect("json,smiley,hermes,llama", text, { asked, finish: "length" });
      expect(callsOf(events)).toEqual([]);
      expect(sourceOf(events)).toBe(text);
    });
  });

  test("comments, lists and prose in a fence beside a call are told too", () => {
    for (const json of [`// call\n${simple}`, `${simple}\nand so on`, `Now:\n${simple}`]) {
      const events = merged(detect("json", fence(json)));
      if (json.startsWith("Now")) expect(outline(events)).toEqual([fence(json)]);
      else expect(outline(events)).toEqual(["malformed"]);
    }
  });

  test.each([
    '{"name":"web_search"}',
    '{"thoughts":"a","tool_request":{"name":"web_search"}}',
    '{"tool_requests":[{"name":"web_search"}]}',
  ])("a tool alone is a call that lacks its arguments, where JSON was asked for: %s", (json) => {
    const alone = fence(json);
    expect(outline(detect("json", alone))).toEqual(["malformed"]);
    expect(outline(detect("json", alone, { asked: [] }))).toEqual([alone]);
  });

  test("behind a marker of a family", () => {
    expect(
      outline(detect("mistral", '[TOOL_CALLS][{"name":"web_search","arguments":{"a":1,}}] b')),
    ).toEqual(['web_search{"a":1}!', " b"]);
    expect(
      outline(
        detect("mistral", '[TOOL_CALLS][{"name":"web_search","arguments":{"a":"b" "c"}}]\nb'),
      ),
    ).toEqual(["malformed", "\nb"]);
  });
});

const forms = [...textToolProtocols.keys()].join();

describe.each([...textToolProtocols.values()])("a call in the form $id", (protocol) => {
  const call = protocol.renderCall({ name: "web_search", arguments: '{"query": "a b"}' });
  const json = call.split("\n")[1] ?? "";
  // Another name, or another key, makes other data of JSON without delimiters of its own.
  const words = ["name", "web_search", "arguments"].flatMap((word) => {
    const start = json.indexOf(word);
    return [...word].map((_, at) => start + at);
  });

  test("without any one of its characters is a call or told, never silence", () => {
    for (let at = 0; at < json.length; at += 1) {
      if (protocol.id === "json" && words.includes(at)) continue;
      const text = `a\n${call.replace(json, json.slice(0, at) + json.slice(at + 1))}\nb`;
      const events = detect(forms, text, { asked: [protocol.id] });
      expect(outline(events).length, `${json.slice(0, at)}|${json.slice(at + 1)}`).toBeGreaterThan(
        1,
      );
      expect(sourceOf(events)).toBe(text);
    }
  });
});
