import { describe, expect, it } from "vitest";
import { fromJSONSchema } from "../../src/tools/from-json-schema.ts";
import { ToolArgumentError, ToolSchemaError } from "../../src/tools/tool-errors.ts";
import { parseArguments } from "../../src/tools/typed-tool.ts";

const inputSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { n: { type: "integer" }, unit: { enum: ["m", "km"], default: "m" } },
  if: { properties: { unit: { const: "km" } }, required: ["unit"] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { required: ["n"] },
};
const tool = fromJSONSchema({ name: "walk", description: "Walks.", inputSchema });

function parse(text: string) {
  return parseArguments(tool, { id: "1", name: "walk", arguments: text });
}

describe("a tool from JSON Schema", () => {
  it("keeps the schema unchanged and returns the arguments as they were sent", async () => {
    expect(tool.inputSchema).toEqual(inputSchema);
    expect(tool.run).toBeUndefined();
    expect(await parse('{"n":1}')).toEqual({ n: 1 });
  });

  it("reports arguments that do not fit, including if/then conditions", async () => {
    await expect(parse('{"n":"1"}')).rejects.toThrow("`n` must be integer, but it is");
    await expect(parse('{"unit":"km"}')).rejects.toThrow(ToolArgumentError);
    await expect(parse('{"unit":"km"}')).rejects.toThrow("`n` is required and missing.");
    await expect(parse("[]")).rejects.toThrow("not a JSON object");
  });

  const broken = {
    "an unknown type": { type: "object", properties: { a: { type: "thing" } } },
    "a reference to nowhere": { type: "object", properties: { a: { $ref: "#/$defs/none" } } },
    "a schema that is not an object": { type: "array" },
    "no type at all": { title: "anything" },
    "a list": [],
    // The promise of an asynchronous check would count as approval of any value.
    "an asynchronous check": { $async: true, type: "object", required: ["a"] },
  };
  for (const [what, schema] of Object.entries(broken)) {
    it(`cannot be defined with ${what}`, () => {
      const define = () =>
        fromJSONSchema({ name: "odd", description: "", inputSchema: schema as never });
      expect(define).toThrow(ToolSchemaError);
      expect(define).toThrow("The tool odd cannot be defined");
    });
  }
});
