import { expect, test } from "vitest";
import { createAnswerBody } from "../../src/providers/stream/answer-body.ts";
import { createEventParser } from "../../src/providers/stream/server-sent-events.ts";
import fc from "../support/property.ts";

function parse(...pieces: readonly string[]): string[] {
  const parser = createEventParser();
  return pieces.flatMap((piece) => [...parser.push(piece)]);
}

test.each([
  ["two events", "data: a\n\ndata: b\n\n", ["a", "b"]],
  ["CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
  ["other fields and comments", ": hi\n\nevent: x\nid: 1\ndata: a\nretry: 5\n\n", ["a"]],
  ["no space after the colon, and two", "data:a\n\ndata:  b\n\n", ["a", " b"]],
  ["several lines of data", "data: a\ndata:\ndata: b\n\n", ["a\n\nb"]],
  ["blank lines between", "\n\n\ndata: a\n\n\n\ndata: b\n\n", ["a", "b"]],
  ["an event that is not complete", "data: a\n\ndata: b\n", ["a"]],
  ["a field that only begins like data", "database: x\n\n", []],
] as const)("%s", (_, text, data) => {
  expect(parse(text)).toEqual(data);
});

test("an event of 16 MB in small pieces is one event", () => {
  const data = "x".repeat(16 * 1024 * 1024);
  const pieces: string[] = ["data: "];
  for (let at = 0; at < data.length; at += 1024) pieces.push(data.slice(at, at + 1024));
  expect(parse(...pieces, "\n\n")[0]?.length).toBe(data.length);
});

test("a text in place of events that never ends is read no further", () => {
  const body = createAnswerBody(createEventParser(), 1000);
  for (const piece of ["[", "1,".repeat(400)]) expect(body.push(piece)).toEqual([]);
  expect(() => body.push("1,".repeat(400))).toThrow("over 1000 characters");
});

test("an event that never ends is not kept for ever", () => {
  const oneLine = createEventParser(1000);
  const manyLines = createEventParser(1000);
  const feed = (parser: typeof oneLine, piece: string) => () => {
    for (let count = 0; count < 100; count += 1) parser.push(piece);
  };
  expect(feed(oneLine, "data: xxxxxxxxxxxxxxxxxxx")).toThrow(SyntaxError);
  expect(feed(manyLines, "data: xxxxxxxxxxxxxxxxxxx\n")).toThrow("over 1000 characters");
  // Many short events are no long one.
  const events = createEventParser(1000);
  expect(feed(events, "data: xxxxxxxxxxxxxxxxxxx\n\n")).not.toThrow();
});

test("the same wherever it is cut", () => {
  const line = fc.oneof(
    fc.constantFrom("", "", "data: x", "data:", ": comment", "event: e", "data: \r"),
    fc.string({ unit: "grapheme" }).map((text) => `data: ${text.replace(/\n/g, " ")}`),
  );
  const text = fc
    .array(line)
    .chain((lines) =>
      fc.constantFrom("\n", "\r\n").map((end) => lines.map((each) => each + end).join("")),
    );
  fc.assert(
    fc.property(text, fc.array(fc.nat(200)), (whole, cuts) => {
      const places = [...cuts, 0, whole.length].sort((a, b) => a - b);
      const pieces = places.slice(1).map((at, index) => whole.slice(places[index], at));
      expect(parse(...pieces)).toEqual(parse(whole));
    }),
  );
});
