import { describe, expect, it } from "vitest";
import { markerAt, toLineFeeds } from "../../src/transcript/markers.ts";
import {
  decodeToken,
  encodeToken,
  parseResult,
  renderResult,
} from "../../src/transcript/result-block.ts";
import fc from "../support/property.ts";
import * as arbitrary from "./arbitraries.ts";

const plain = {
  name: "web_search",
  callId: "call_1",
  status: "ok",
  attachments: [],
  fullText: null,
  text: "x",
} as const;

describe("a result", () => {
  it.each([
    ["one line", "it is $911", ["`it is $911`"]],
    ["backticks inside", "a ``b`` c", ["```a ``b`` c```"]],
    ["a backtick at an end", "`a", ["`` `a ``"]],
    ["spaces at both ends", " a ", ["`  a  `"]],
    ["two lines", "a\nb", ["```", "a", "b", "```"]],
    ["a line end at its end", "a\n", ["```", "a", "", "```"]],
    ["a fence inside", "````\na", ["`````", "````", "a", "`````"]],
    ["a marker inside", "a\r\n💬: b", ["```", "a", "\\💬: b", "```"]],
    ["a marker alone", "💬: b", ["`💬: b`"]],
    ["nothing", "", ["```", "```"]],
  ])("writes %s", (_, text, body) => {
    const lines = renderResult({ ...plain, text });
    expect(lines).toEqual(["🛠️: [web_search][call_1]", "", ...body]);
    expect(parseResult(lines, 0)?.block.text).toBe(toLineFeeds(text));
  });

  it("writes status, attachments and the file with the full text", () => {
    const lines = renderResult({
      ...plain,
      status: "timeout",
      attachments: [
        { mime: "image/png", file: "a1.png" },
        { mime: "Image/PNG; x=1", file: "b.bin" },
      ],
      fullText: "full.txt",
    });
    expect(lines[0]).toBe(
      "🛠️: [web_search][call_1] (timeout) ![image/png](a1.png) ![application/octet-stream](b.bin) [full text](full.txt)",
    );
  });

  it.each(["../a", "a/b", ".hidden", "a b", "https://a", "", "a)"])(
    "refuses to link the file %j",
    (file) => {
      expect(() => renderResult({ ...plain, fullText: file })).toThrow(RangeError);
    },
  );

  it("round-trips any result, with a marker only in its head", () => {
    fc.assert(
      fc.property(
        arbitrary.result,
        fc.array(arbitrary.fileLine, { maxLength: 3 }),
        (input, below) => {
          const lines = renderResult(input);
          expect(lines.filter((line) => markerAt(line) !== null)).toEqual([lines[0]]);
          const reading = parseResult([...lines, ...below], 0);
          expect(reading).toEqual({
            block: {
              ...input,
              range: { start: 0, end: lines.length },
              text: toLineFeeds(input.text),
            },
            malformed: null,
            openFence: null,
            bare: null,
          });
        },
      ),
    );
  });

  it.each([
    ["a b", "a%20b"],
    ["][", "%5D%5B"],
    ["é%", "%C3%A9%25"],
    ["a_b.c:d/e-f", "a_b.c:d/e-f"],
    ["\uFEFFx", "%EF%BB%BFx"],
  ])("writes %j in brackets as %s", (token, written) => {
    expect(encodeToken(token)).toBe(written);
    expect(decodeToken(written)).toBe(token);
  });
});

describe("the head of a result", () => {
  it.each([
    ["🛠: [a][b]", {}],
    ["🛠️:[a][b]", {}],
    ["🛠️:\t[a] [b]  (error) ", { status: "error" }],
    ["🛠️: [a][b] ![image/png](x.png)", { attachments: [{ mime: "image/png", file: "x.png" }] }],
  ])("is read from %s", (line, expected) => {
    const reading = parseResult([line], 0);
    expect(reading?.malformed).toBeNull();
    expect(reading?.block).toMatchObject({ name: "a", callId: "b", ...expected });
  });

  it.each([
    "🛠️: [a]",
    "🛠️: [a] text",
    "🛠️: [a][b] (fine)",
    "🛠️: [a][b] (Error)",
    "🛠️: [a][b] ![image/png](../../etc/passwd)",
    "🛠️: [a][b] ![image/png](https://a/b.png)",
    "🛠️: [a][b] [full text](/etc/passwd)",
    "🛠️: [a][b] ![x](a.png)",
    "🛠️: [a][b] [full text](a.txt) ![image/png](a.png)",
    "🛠️: [a][b] and more",
  ])("is malformed, and has no attachments, with unknown parts: %s", (line) => {
    const reading = parseResult([line], 0);
    expect(reading?.malformed).not.toBeNull();
    expect(reading?.block).toMatchObject({ name: "a", status: "ok" });
    expect(reading?.block.attachments).toEqual([]);
  });

  it.each(["🛠️: a", "🛠️:", "🛠️ [a][b]", "💬: [a][b]"])("is not recognized in %s", (line) => {
    expect(parseResult([line], 0)).toBeNull();
  });
});

describe("the body of a result", () => {
  const head = "🛠️: [a][b]";
  it.each([
    ["a span directly below", ["`x`"], "x", 2],
    ["a span below a blank line", ["", "`x`"], "x", 3],
    ["a fence with an info string", ["```json", "{}", "```"], "{}", 4],
    ["a longer closing fence", ["```", "x", "`````"], "x", 4],
    ["text directly below, to the first blank line", ["x", "\\💬: y", "", "z"], "x\n💬: y", 3],
    ["text below a blank line, which is no body", ["", "x"], "", 1],
    ["a span with words behind it, which is no body", ["", "`x` y"], "", 1],
    ["a span below two blank lines, which is no body", ["", "", "`x`"], "", 1],
    ["a marker in a fence, which ends it", ["```", "x", "💬: y", "```"], "x", 3],
    ["a marker directly below", ["💬: y"], "", 1],
    ["nothing", [], "", 1],
    ["a fence that nothing closes", ["```", "x", "", "y"], "x\n\ny", 5],
    ["such a fence without the blank lines below it", ["```", "x", "", ""], "x", 3],
  ])("is %s", (_, body, text, end) => {
    const block = parseResult([head, ...body], 0)?.block;
    expect(block?.text).toBe(text);
    expect(block?.range).toEqual({ start: 0, end });
  });
});
