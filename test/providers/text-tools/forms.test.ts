import { describe, expect, test } from "vitest";
import { detectableProtocols } from "../../../src/providers/text-tools/protocol-ids.ts";
import { detect, merged, outline, S, sourceOf } from "./detect.ts";
import { samples } from "./samples.ts";

const named = samples.map(
  (sample) => [`${sample.id}: ${sample.text.slice(0, 50)}`, sample] as const,
);

describe("every form", () => {
  test("has a sample", () => {
    expect(new Set(samples.map(({ id }) => id))).toEqual(new Set(detectableProtocols.keys()));
  });

  test.each(named)("is found: %s", (_, { id, text, found }) => {
    expect(outline(detect(id, text))).toEqual(found);
    expect(sourceOf(detect(id, text))).toBe(text);
  });

  test.each(named)("is found as salvage, beside all others: %s", (_, { text, found }) => {
    // Forms that share an opener must not get into each other's way.
    const all = [...detectableProtocols.keys()].join(",");
    const calls = found.filter((item) => /^(?:web_search|mock\.search)\{/.test(item));
    const salvaged = outline(detect(all, text, { asked: [] }));
    expect(salvaged.filter((item) => /^(?:web_search|mock\.search)\{/.test(item))).toEqual(calls);
  });

  test.each(named)("is the same for any single cut: %s", (_, { id, text }) => {
    const whole = merged(detect(id, text));
    for (let cut = 1; cut < text.length; cut += 1) {
      expect(merged(detect(id, text, { chunks: [cut, text.length] }))).toEqual(whole);
    }
    expect(merged(detect(id, text, { chunks: [1] }))).toEqual(whole);
  });

  test.each(named)("gives no call before its end in a truncated answer: %s", (_, { id, text }) => {
    const whole = outline(detect(id, text)).filter((item) => item.includes("{"));
    for (let cut = 1; cut < text.length; cut += 1) {
      const events = detect(id, text.slice(0, cut), { finish: "length" });
      const calls = events.flatMap((event) =>
        event.type === "tool-call" ? [`${event.call.name}${event.call.arguments}`] : [],
      );
      expect(whole.slice(0, calls.length)).toEqual(calls);
      expect(sourceOf(events)).toBe(text.slice(0, cut));
    }
  });

  test("a truncated block shows no delimiter", () => {
    const text = `a ${S}\n{"name":"web_search","arguments":{}}\n${S}`;
    for (let cut = S.length + 2; cut < text.length; cut += 1) {
      expect(outline(detect("smiley", text.slice(0, cut), { finish: "length" }))).toEqual([
        "a ",
        "malformed",
      ]);
    }
  });

  test("each raw piece is the call of its event", () => {
    const text = '```tool_code\nweb_search(query="a")\nmock.search(b="c")\n```';
    const raws = detect("gemma", text).flatMap((event) => ("raw" in event ? [event.raw] : []));
    expect(raws).toEqual(['```tool_code\nweb_search(query="a")\n', 'mock.search(b="c")\n```']);
  });

  test("an id that does not exist is named, with those that do", () => {
    expect(() => detect("smily", "")).toThrow(/no tool protocol "smily".*smiley, delimited, json/);
  });
});

test("the model is told where its JSON goes wrong", () => {
  expect(detect("smiley", `${S}{"name": oops}${S}`).at(-1)).toMatchObject({
    type: "malformed",
    reason: expect.stringMatching(/^This tool call cannot be read: Unexpected token .*o.*\.$/),
  });
});
