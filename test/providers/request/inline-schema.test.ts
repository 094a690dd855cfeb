import { expect, test } from "vitest";
import { toOpenAIRequest } from "../../../src/providers/openai-chat/openai-request.ts";
import { inlineSchema } from "../../../src/providers/request/inline-schema.ts";
import { checkOpenAIMessages } from "../../support/model-server-openai-rules.ts";
import fc from "../../support/property.ts";
import { requestTo, user, webSearch } from "../parts.ts";

test("references and parts are written out", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      place: { $ref: "#/$defs/place", description: "Where to" },
      both: { allOf: [{ $ref: "#/$defs/named" }, { properties: { size: { type: "number" } } }] },
      $ref: { type: "string" },
    },
    $defs: {
      place: {
        type: "object",
        description: "A place",
        properties: { at: { $ref: "#/$defs/named" } },
      },
      named: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  };
  const named = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  expect(inlineSchema(schema)).toEqual({
    type: "object",
    properties: {
      place: { type: "object", description: "Where to", properties: { at: named } },
      both: { ...named, properties: { ...named.properties, size: { type: "number" } } },
      $ref: { type: "string" },
    },
  });
});

test("a schema that contains itself, and a reference to nothing, come to an end", () => {
  const tree = {
    type: "object",
    properties: { children: { type: "array", items: { $ref: "#" } }, lost: { $ref: "#/$defs/x" } },
  };
  const text = JSON.stringify(inlineSchema(tree));
  expect(text).not.toContain('"$ref"');
  expect(text.length).toBeLessThan(2000);
});

const leaf = fc.constantFrom<object>(
  { type: "string" },
  { $ref: "#/$defs/a" },
  { $ref: "#/$defs/b" },
  { $ref: "#" },
  { enum: ["$ref", "allOf"] },
);
const { node } = fc.letrec<{ node: object }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie("node"), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
    tie("node").map((items) => ({ type: "array", items })),
    tie("node").map((x) => ({ type: "object", properties: { x }, definitions: { x } })),
  ),
}));

test("whatever the schema, what goes to xAI has neither", () => {
  fc.assert(
    fc.property(node, node, node, (x, a, b) => {
      const inputSchema = { type: "object", properties: { x }, $defs: { a, b } };
      const request = {
        ...requestTo("xai", "grok-4.5", [user("hi")]),
        tools: [{ ...webSearch, inputSchema }],
      };
      expect(checkOpenAIMessages(toOpenAIRequest(request), "xai")).toBeNull();
    }),
    { numRuns: 200 },
  );
});
