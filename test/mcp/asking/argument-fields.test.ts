/** The arguments of a tool as a text to fill in. */
import { expect, it } from "vitest";
import { argumentFields } from "../../../src/mcp/asking/argument-fields.ts";
import { formPage, readPage } from "../../../src/mcp/asking/form-page.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string", description: "which file" },
    head: { type: "integer", default: 10 },
    edits: { type: "array", items: { type: "object" }, description: "what\nto change" },
    mode: { enum: ["fast", "slow"], type: "string" },
    any: {},
    either: { type: ["string", "null"], default: null },
  },
  required: ["path", "edits"],
};

it("are fields by their types, and JSON without them", () => {
  const fields = argumentFields(schema);
  const { lines } = formPage({ title: "t", details: [], purpose: "runs it", fields });
  expect(lines).toContain("# required; what to change; JSON: array");
  expect(lines).toContain("head: 10");
  expect(lines).toContain("either: null");
  const read = (...written: readonly string[]) => readPage(fields, written);
  const good = ["path: /a b", 'edits: [{"a": 1}]', "mode: slow", "any: words", "either: x"];
  expect(read(...good)).toEqual({
    values: { path: "/a b", edits: [{ a: 1 }], mode: "slow", any: "words", either: "x" },
    mistakes: [],
  });
  const wrong = read("path: x", "edits: [1", "any: {", "head: ten");
  expect(wrong.mistakes.map(({ line }) => line)).toEqual([1, 2, 3]);
  const large = read("path: x", "edits: [12345678901234567891]", "head: 1");
  expect(large.mistakes).toEqual([
    { line: 1, text: "The number 12345678901234567891 is too large; in quotes it is a text." },
  ]);
});

it("are none if a schema has none", () => {
  expect(argumentFields({})).toEqual([]);
  expect(argumentFields({ properties: [] })).toEqual([]);
});
