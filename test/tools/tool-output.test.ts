import { describe, expect, it } from "vitest";
import { ToolExecutionError } from "../../src/tools/tool-errors.ts";
import { toolErrorResult, toolResult, toToolOutput } from "../../src/tools/tool-output.ts";

const call = { id: "call_1", name: "t" };
const image = { type: "image", mime: "image/png", data: "aGk=" } as const;

describe("the result of a call", () => {
  it("keeps a text unchanged", () => {
    expect(toolResult(call, "sunny")).toEqual({
      type: "tool-result",
      callId: "call_1",
      name: "t",
      isError: false,
      content: [{ type: "text", text: "sunny" }],
    });
  });

  it("is JSON for any other value", () => {
    const texts = [{ a: [1, null] }, [1, 2], null, 0, false].map(
      (value) => toToolOutput(value).text,
    );
    expect(texts).toEqual(['{"a":[1,null]}', "[1,2]", "null", "0", "false"]);
  });

  it("says “(no output)” instead of an empty text, which providers refuse", () => {
    for (const nothing of [undefined, "", " \n"]) {
      expect(toolResult(call, nothing).content).toEqual([{ type: "text", text: "(no output)" }]);
    }
  });

  it("may have content parts, and may mark itself as an error", () => {
    const content = [{ type: "text", text: "seen" } as const, image];
    expect(toolResult(call, { content })).toMatchObject({ isError: false, content });
    expect(toolResult(call, { content, isError: true }).isError).toBe(true);
    expect(toolResult(call, { content: [], isError: true })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "(no output)" }],
    });
    expect(toToolOutput({ content: [image] })).toEqual({
      status: "ok",
      text: "",
      media: [{ mime: "image/png", data: "aGk=" }],
    });
  });

  it("is JSON when the value only resembles content parts", () => {
    const others = [
      { content: "a page", url: "x" },
      { content: [] },
      { content: [{ type: "text" }] },
      { content: [{ type: "text", text: "a" }], title: "b" },
    ];
    for (const value of others) expect(toToolOutput(value).text).toBe(JSON.stringify(value));
  });

  it("must be a value that JSON can express", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const value of [() => 1, Symbol("s"), 1n, circle]) {
      expect(() => toToolOutput(value)).toThrow(TypeError);
    }
  });

  it("contains the message of a failure but not its stack", () => {
    const error = new ToolExecutionError("t", "no network");
    expect(toolErrorResult(call, error)).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "The tool t failed: no network" }],
    });
  });
});

it.each([
  ["Map", new Map([["a", 1]])],
  ["Set", new Set([1])],
  ["Error", new Error("it failed")],
  ["Response", new Response("text")],
])("rejects a %s, which JSON cannot represent, instead of sending {}", (kind, value) => {
  expect(() => toToolOutput(value)).toThrow(`It returned a ${kind}, which JSON cannot represent.`);
});

it("accepts an empty object, and an object that has a JSON form", () => {
  const bare = Object.create(null) as object;
  for (const value of [{}, bare]) expect(toToolOutput(value).text).toBe("{}");
  expect(toToolOutput(new URL("https://a.example/")).text).toBe('"https://a.example/"');
});
