/** What follows a block and belongs to its calls. */
import { describe, expect, test } from "vitest";
import { detect, outline } from "./detect.ts";

describe("a second closing tag behind a call", () => {
  const call = '<tool_call>{"name":"web_search","arguments":{}}</tool_call>';
  const found = (space: string) => outline(detect("hermes", `${call}${space}</tool_call> b`));

  test("belongs to it behind some white space", () => {
    expect(found("\n".repeat(64))).toEqual(["web_search{}", " b"]);
  });

  test("is text behind more", () => {
    const space = "\n".repeat(65);
    expect(found(space)).toEqual(["web_search{}", `${space}</tool_call> b`]);
  });
});

describe("an answer that is cut off", () => {
  const open = "<|tool_calls_section_begin|><|tool_call_begin|>functions.web_search:0";
  const section = `${open}<|tool_call_argument_begin|>{}<|tool_call_end|>`;
  const found = (text: string) => outline(detect("kimi", text, { finish: "length" }));

  test("has no call inside a wrapper that is still open", () => {
    expect(found(section)).toEqual(["malformed"]);
  });

  test("has its calls when the wrapper was closed before", () => {
    expect(found(`${section}<|tool_calls_section_end|>`)).toEqual(["web_search{}"]);
  });
});
