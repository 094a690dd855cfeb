/** Schemas of all drafts and habits in the words of today's. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../src/conversation/ports.ts";
import { modernSchema } from "../../../src/providers/request/modern-schema.ts";
import { prepareTool } from "../../../src/providers/request/prepare-tool.ts";
import { vendors } from "../../../src/providers/vendors/vendors.ts";
import fc from "../../support/property.ts";

const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });

function compiles(schema: JsonSchema): unknown {
  return ajv.compile(schema);
}

describe("a schema of an older draft", () => {
  test.each<readonly [string, JsonSchema, JsonSchema]>([
    [
      "definitions",
      { definitions: { a: { type: "string" } }, properties: { x: { $ref: "#/definitions/a" } } },
      { $defs: { a: { type: "string" } }, properties: { x: { $ref: "#/$defs/a" } } },
    ],
    [
      "tuples",
      { type: "array", items: [{ type: "string" }], additionalItems: false },
      { type: "array", prefixItems: [{ type: "string" }], items: false },
    ],
    ["exclusive limits", { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ["inclusive limits", { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
    [
      "dependencies",
      { dependencies: { a: ["b"], c: { required: ["d"] } } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
    ],
    ["ids and drafts", { $schema: "http://json-schema.org/draft-04/schema#", id: "x" }, {}],
    [
      "a property that says that it is required",
      { properties: { id: { type: "str", required: true } } },
      { properties: { id: { type: "string" } }, required: ["id"] },
    ],
    ["an array without items", { type: "array" }, { type: "array", items: {} }],
    ["a type of nobody's", { type: "file" }, {}],
    ["a union with a type of nobody's", { type: ["string", "file"] }, {}],
    [
      "a property that is a text",
      { properties: { a: "How." } },
      { properties: { a: { description: "How." } } },
    ],
    ["a property that is forbidden", { properties: { a: false } }, { properties: { a: false } }],
    ["nullable", { type: "string", nullable: true }, { type: ["string", "null"] }],
    ["a reference to nowhere", { $ref: "#/definitions/none" }, {}],
    ["a pattern of another language", { type: "string", pattern: "(?P<x>a)" }, { type: "string" }],
    [
      "a pattern of another language for names",
      { patternProperties: { "(?P<x>a)": {}, "^b": {} } },
      { patternProperties: { "^b": {} } },
    ],
    ["a pattern with a script of nobody's", { pattern: "\\p{Script=Nobody}" }, {}],
    ["a pattern with letters", { pattern: "^\\p{L}+$" }, { pattern: "^\\p{L}+$" }],
    ["a pattern that no hand writes", { pattern: "a".repeat(1001) }, {}],
    ["multiples of nothing", { multipleOf: 0 }, {}],
    [
      "values of the wrong kind",
      { minimum: "3", enum: [], required: "x", properties: 1 },
      { properties: {} },
    ],
  ])("%s", (_, schema, modern) => {
    expect(modernSchema(schema)).toEqual(modern);
  });

  test("is cut where it is nested deeper than any hand writes", () => {
    let schema: JsonSchema = { type: "string" };
    for (let level = 0; level < 50; level += 1) schema = { not: schema };
    const found = JSON.stringify(modernSchema(schema));
    expect(found.match(/"not"/g)).toHaveLength(41);
    expect(found).not.toContain("string");
  });

  test("is rewritten once: every request has the same tools", () => {
    const schema = { type: "array" };
    expect(modernSchema(schema)).toBe(modernSchema(schema));
  });

  test("is never changed itself", () => {
    const schema = Object.freeze({ definitions: Object.freeze({ a: Object.freeze({}) }) });
    expect(() => modernSchema(schema)).not.toThrow();
  });

  test("compiles, whatever it holds", () => {
    const word = fc.constantFrom(
      ...["type", "properties", "items", "required", "enum", "minimum", "exclusiveMinimum", "$ref"],
      ...["anyOf", "not", "pattern", "definitions", "dependencies", "additionalProperties", "a"],
      ...["minLength", "patternProperties", "const", "if", "contains", "$id", "format", "$defs"],
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(
          true,
          false,
          null,
          1,
          -1,
          "string",
          "object",
          "(",
          "#/definitions/a",
          "#",
        ),
        fc.dictionary(word, tie("value"), { maxKeys: 5 }),
        fc.array(tie("value"), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(word, value, { maxKeys: 6 }), (schema) => {
        for (const id of ["openai", "anthropic", "google", "xai"]) {
          const { compat } = vendors.get(id)!;
          compiles(prepareTool({ description: "", inputSchema: schema }, compat).schema);
        }
      }),
    );
  });

  test("compiles with a schema under a word that nobody knows", () => {
    const inputSchema = { type: "object", contains: { "x-mine": { $id: "#" } }, default: { a: 1 } };
    const { compat } = vendors.get("openai")!;
    const { schema } = prepareTool({ description: "", inputSchema }, compat);
    compiles(schema);
    expect(schema).toMatchObject({ default: { a: 1 } });
  });
});
