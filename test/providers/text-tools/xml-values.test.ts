/** Values between tags, which have no types of their own: as JSON by what the schema of the tool says. */
import { describe, expect, test } from "vitest";
import { detect, outline } from "./detect.ts";

const properties = {
  number: { type: "integer" },
  flag: { type: "boolean" },
  list: { type: "array" },
  text: { type: "string" },
  choice: { enum: [1, null] },
  either: { oneOf: [{ type: "string" }, { type: "null" }] },
  any: { anyOf: [{ type: "number" }, { type: "boolean" }] },
};
const tools = [{ name: "web_search", inputSchema: { type: "object", properties } }];

function found(key: string, value: string): readonly string[] {
  const parameter = `<parameter=${key}>\n${value}\n</parameter>`;
  const text = `<function=web_search>\n${parameter}\n</function>`;
  return outline(detect("qwen-xml", text, { tools }));
}

describe("values between tags", () => {
  test.each([
    ["number", "12", "12"],
    ["number", "012", '"012"'],
    ["flag", "True", "true"],
    ["flag", "yes", '"yes"'],
    ["list", "[1, 'a']", '[1,"a"]'],
    ["list", "[1", '"[1"'],
    ["text", "12", '"12"'],
    ["choice", "1", "1"],
    ["choice", "None", "null"],
    ["either", "null", "null"],
    ["either", "1", '"1"'],
    ["any", "1.5", "1.5"],
    ["any", "FALSE", "false"],
    ["other", "12", '"12"'],
  ])("as %s %s is %s", (key, value, json) => {
    expect(found(key, value)).toEqual([`web_search{"${key}":${json}}`]);
  });

  test("hold no tag of the call itself", () => {
    expect(found("text", "a\n<parameter=text> b")).toEqual(["malformed"]);
  });
});
