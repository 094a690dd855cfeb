import { expect, test } from "vitest";
import type { JsonSchema } from "../../../src/conversation/ports.ts";
import { toAnthropicTools } from "../../../src/providers/anthropic/anthropic-request.ts";
import { toOpenAITools } from "../../../src/providers/openai-chat/openai-request.ts";
import { checkSchema } from "../../support/model-server-rules.ts";
import fc from "../../support/property.ts";
import { webSearch } from "../parts.ts";

function converted(inputSchema: JsonSchema): unknown {
  const copy = structuredClone(inputSchema);
  const tool = { ...webSearch, inputSchema };
  const [anthropic] = toAnthropicTools([tool]);
  const [openai] = toOpenAITools([tool]);
  expect(openai?.function.parameters).toEqual(anthropic?.input_schema);
  expect(inputSchema).toEqual(copy);
  return anthropic?.input_schema;
}

test("the mock's tool in both forms", () => {
  const schema = {
    type: "object",
    properties: { query: { type: "string" } },
    required: ["query"],
    additionalProperties: false,
  };
  const { name, description } = webSearch;
  expect(toOpenAITools([webSearch])).toEqual([
    { type: "function", function: { name, description, parameters: schema } },
  ]);
  expect(toAnthropicTools([webSearch])).toEqual([{ name, description, input_schema: schema }]);
  // As MCP allows it.
  const bare = { name, inputSchema: webSearch.inputSchema };
  expect(toOpenAITools([bare])).toEqual([
    { type: "function", function: { name, parameters: schema } },
  ]);
  expect(toAnthropicTools([bare])).toEqual([{ name, input_schema: schema }]);
});

test("nested schemas, definitions and unknown keywords stay as they are", () => {
  const schema = {
    type: "object",
    properties: { a: { oneOf: [{ type: "string" }, { $ref: "#/$defs/b" }] } },
    required: ["a", "undescribed"],
    $defs: { b: { "x-note": "kept", type: "number" } },
    "x-hint": 1,
  };
  expect(converted(schema)).toEqual(schema);
});

test("an empty schema is an object without properties", () => {
  expect(converted({})).toEqual({ type: "object", properties: {} });
});

test("alternatives at the root become one object, required where all of them require it", () => {
  const schema = {
    type: "object",
    properties: { id: { type: "string" } },
    required: ["id"],
    additionalProperties: false,
    oneOf: [
      { properties: { kind: { const: "a" }, x: { type: "number" } }, required: ["kind", "x"] },
      { $ref: "#/$defs/second" },
    ],
    $defs: { second: { properties: { kind: { const: "b" } }, required: ["kind"] } },
  };
  expect(converted(schema)).toEqual({
    type: "object",
    properties: {
      id: { type: "string" },
      kind: { anyOf: [{ const: "a" }, { const: "b" }] },
      x: { type: "number" },
    },
    required: ["id", "kind"],
    $defs: schema.$defs,
  });
});

test("parts at the root are required together", () => {
  const schema = {
    allOf: [
      { properties: { a: {} }, required: ["a"] },
      { allOf: [{ properties: { b: {} }, required: ["b"] }] },
    ],
  };
  expect(converted(schema)).toEqual({
    type: "object",
    properties: { a: {}, b: {} },
    required: ["a", "b"],
  });
});

test("a root that refers to a definition has its properties", () => {
  const $defs = { args: { type: "object", properties: { a: {} }, required: ["a"] } };
  expect(converted({ $ref: "#/$defs/args", $defs })).toEqual({
    type: "object",
    properties: { a: {} },
    required: ["a"],
    $defs,
  });
  expect(converted({ $ref: "#" })).toEqual({ type: "object", properties: {} });
  expect(converted({ $ref: "https://example.org/a.json" })).toEqual({
    type: "object",
    properties: {},
  });
});

test("a schema that contains itself comes to an end", () => {
  const schema = {
    type: "object",
    allOf: [{ $ref: "#" }, { $ref: "#/missing" }, { $ref: "other" }],
  };
  expect(converted(schema)).toEqual({ type: "object", properties: {} });
});

test("whatever a server calls a schema, both providers accept it", () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const schemas = fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        "type",
        "oneOf",
        "anyOf",
        "allOf",
        "properties",
        "required",
        "$schema",
        "$ref",
      ),
      fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype)),
      fc.string(),
    ),
    fc.oneof(json, fc.array(fc.record({ properties: json, required: json }))),
  );
  fc.assert(
    fc.property(schemas, (schema) => {
      const tool = { ...webSearch, inputSchema: schema };
      const [openai] = toOpenAITools([tool]);
      expect(checkSchema(openai?.function.parameters, "schema")).toBeNull();
      expect(checkSchema(toAnthropicTools([tool])[0]?.input_schema, "schema")).toBeNull();
    }),
  );
});

test("a description that is too long for OpenAI is cut, not within a character", () => {
  const long = { ...webSearch, description: `${"d".repeat(1021)}📈 and on` };
  const [openai] = toOpenAITools([long]);
  expect(openai?.function.description).toBe(`${"d".repeat(1021)}…`);
  expect(toAnthropicTools([long])[0]?.description).toBe(long.description);
});
