import { describe, expect, it } from "vitest";
import { markCallLine, parseCallLine, renderCallLine } from "../../src/transcript/call-line.ts";
import fc from "../support/property.ts";
import * as arbitrary from "./arbitraries.ts";

const google = {
  id: "call_1",
  name: "web_search",
  arguments: '{"query":"google stock price"}',
};
const json = JSON.stringify({
  id: "call_1",
  type: "function",
  function: { name: "web_search", arguments: '{"query":"google stock price"}' },
});

function withArguments(args: string): string {
  return JSON.stringify({ id: "1", type: "function", function: { name: "t", arguments: args } });
}

describe("a call line", () => {
  it("is written as in the format", () => {
    expect(renderCallLine(google, null, [])).toBe(`❓: \`${json}\``);
    expect(renderCallLine(google, "ya", ["repaired", "salvaged"])).toBe(
      `❓:[ya] \`${json}\` (repaired) (salvaged)`,
    );
  });

  it("round-trips any call, decision and notes", () => {
    fc.assert(
      fc.property(
        arbitrary.call,
        arbitrary.decision,
        fc.subarray(["repaired", "salvaged"]),
        (call, decision, notes) => {
          const line = renderCallLine(call, decision, notes);
          expect(line).not.toMatch(/[\n\r]/);
          const read = parseCallLine(line);
          expect(read).toMatchObject({ call, decision, notes, broken: null, id: call.id });
          expect(parseCallLine(markCallLine(line, "yN"))).toEqual({ ...read, decision: "yN" });
        },
      ),
    );
  });

  it("keeps the arguments character for character", () => {
    const args = '{ "b" : 1e400,\n"a":"\\u0041 `` 💬:" }';
    const line = renderCallLine({ id: "1", name: "t", arguments: args }, null, []);
    expect(line).toContain("``` {".trim().slice(0, 3));
    expect(parseCallLine(line)?.call?.arguments).toBe(args);
  });

  it("removes parentheses and backticks from a note", () => {
    const line = renderCallLine(google, null, ["a) `b` (c", "()"]);
    expect(line.endsWith("` (a b c)")).toBe(true);
    expect(parseCallLine(line)?.notes).toEqual(["a b c"]);
  });

  it.each([
    [`❓: \`${json}\``, null],
    [`❓:\`${json}\``, null],
    [`❓: [ya] \`${json}\``, "ya"],
    [`❓:\t[ yO ]\t\`${json}\`  `, "yO"],
    [`❓\uFE0F:[auto] \`${json}\``, "auto"],
    [`❓:[] \`${json}\``, null],
    [`❓:[ya]\`\` ${json} \`\``, "ya"],
  ])("allows different spacing: %s", (line, decision) => {
    expect(parseCallLine(line)).toMatchObject({ call: google, decision, broken: null });
  });

  it.each([
    ["❓: what now?"],
    ["❓:"],
    [`❓ \`${json}\``],
    [` ❓: \`${json}\``],
    [`\\❓: \`${json}\``],
    [`💬: \`${json}\``],
  ])("is not recognized in %s", (line) => {
    expect(parseCallLine(line)).toBeNull();
  });

  it("reads an unknown decision as no decision", () => {
    expect(parseCallLine(`❓:[yes] \`${json}\``)).toMatchObject({
      call: google,
      decision: null,
      unknownDecision: "yes",
      broken: null,
    });
  });

  it.each([
    ["invalid JSON", "❓: `{`", "is not readable JSON"],
    ["JSON with a comment", '❓: `{"id":"1"} // x`', "is not readable JSON"],
    ["JSON that is not an object", "❓: `[1]`", "is not a JSON object"],
    ["no id", "❓: `{}`", 'no "id"'],
    ["an id that is not a string", '❓: `{"id":1}`', 'no "id"'],
    ["another type", '❓: `{"id":"1","type":"x"}`', '"type"'],
    ["no function", '❓: `{"id":"1"}`', '"function"'],
    ["no name", '❓: `{"id":"1","function":{"name":"","arguments":"{}"}}`', "tool name"],
    ["arguments as an object", '❓: `{"id":"1","function":{"name":"t","arguments":{}}}`', "text"],
    ["a repeated key", '❓: `{"id":"1","id":"2","function":{}}`', 'repeats the key "id"'],
    [
      "a repeated key, spelled differently",
      '❓: `{"id":"1","i\\u0064":"2","function":{}}`',
      'repeats the key "id"',
    ],
    [
      "a repeated key in the arguments",
      `❓:[ya] \`${withArguments('{"path":"a","path":"b"}')}\``,
      'repeats the key "path"',
    ],
    [
      "a repeated key deep in the arguments",
      `❓: \`${withArguments('[{"x":[{"y":1,"z":{},"y":2}]}]')}\``,
      'repeats the key "y"',
    ],
    ["a span that is not closed", "❓: `{}", "not closed"],
    ["text before the span", `❓: run \`${json}\``, "before its code span"],
    ["text after the span", `❓: \`${json}\` now`, "after its code span"],
    ["two spans", `❓: \`${json}\` \`${json}\``, "after its code span"],
    ["two decisions", `❓:[ya][yn] \`${json}\``, "before its code span"],
    ["an open bracket", `❓:[ya \`${json}\``, "before its code span"],
  ])("is broken with %s", (_, line, why) => {
    const read = parseCallLine(line);
    expect(read?.call).toBeNull();
    expect(read?.broken).toContain(why);
  });

  it.each([
    ["the same key in two objects", '[{"a":1},{"a":1}]'],
    ["a key that is also a value", '{"a":"b","b":"a"}'],
    ["invalid JSON", '{"a":1,"a"'],
    ["nothing", ""],
  ])("is not broken by %s in the arguments", (_, args) => {
    expect(parseCallLine(`❓: \`${withArguments(args)}\``)?.broken).toBeNull();
  });

  it("parses deeply nested JSON without overflowing the stack", () => {
    const depth = 200_000;
    const args = "[".repeat(depth) + "]".repeat(depth);
    expect(parseCallLine(`❓: \`${withArguments(args)}\``)?.call?.arguments).toBe(args);
    expect(parseCallLine(`❓: \`${args}\``)?.broken).toContain("not a JSON object");
    expect(parseCallLine(`❓: \`${"[".repeat(depth)}\``)?.broken).toContain("not readable");
  });
});
