import { expect, it } from "vitest";
import {
  parameterHeaders,
  readParameterHeaders,
  ToolHeaders,
} from "../../../src/mcp/client/parameter-headers.ts";
import fc from "../../support/property.ts";

const schema = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const wanting = (name: unknown, type: unknown = "string") => ({ type, "x-mcp-header": name });

it("sends the arguments that have a header, at any depth", () => {
  const read = readParameterHeaders(
    schema({
      region: wanting("Region"),
      count: wanting("Count", "integer"),
      dry: wanting("Dry", "boolean"),
      inner: schema({ deep: wanting("Deep") }),
      plain: { type: "string", default: { "x-mcp-header": "data" } },
    }),
  );
  const args = { region: "eu", count: 3, dry: false, inner: { deep: "x" }, plain: "no" };
  expect("headers" in read && parameterHeaders(read.headers, args)).toEqual({
    "Mcp-Param-Region": "eu",
    "Mcp-Param-Count": "3",
    "Mcp-Param-Dry": "false",
    "Mcp-Param-Deep": "x",
  });
  const others = { region: null, count: 1.5, inner: "no object", toString: "x" };
  expect("headers" in read && parameterHeaders(read.headers, others)).toEqual({});
});

it.each([
  ["no text", schema({ a: wanting(1) })],
  ["an empty name", schema({ a: wanting("") })],
  ["a name with a space", schema({ a: wanting("a b") })],
  ["a name with a line break", schema({ a: wanting("a\r\nb") })],
  ["a number", schema({ a: wanting("A", "number") })],
  ["an object", schema({ a: wanting("A", "object") })],
  ["two of one name", schema({ a: wanting("Same"), b: wanting("sAME") })],
  ["the root", { ...schema({}), "x-mcp-header": "A" }],
  ["items", schema({ a: { type: "array", items: wanting("A") } })],
  ["one of several", schema({ a: { oneOf: [wanting("A")] } })],
  ["a definition", schema({}, { $defs: { a: wanting("A") } })],
])("refuses a tool that wants a header for %s", (_, wrong) => {
  expect(readParameterHeaders(wrong)).toEqual({ mistake: expect.any(String) });
});

it("sends any text so that it can be read again, in letters that a header may hold", () => {
  const header = { path: ["a"], header: "Mcp-Param-A" };
  const decode = (text: string) => {
    const [, base64] = /^=\?base64\?(.*)\?=$/.exec(text) ?? [];
    return base64 === undefined ? text : Buffer.from(base64, "base64").toString("utf8");
  };
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constant("=?base64?eA==?="),
    fc.string(),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const sent = parameterHeaders([header], { a: text })["Mcp-Param-A"] ?? "";
      expect(sent).toMatch(/^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/);
      expect(decode(sent)).toBe(Buffer.from(text, "utf8").toString("utf8"));
    }),
  );
});

it("leaves out a tool whose headers cannot be sent, and knows those that were listed last", () => {
  const headers = new ToolHeaders();
  const tool = (name: string, wanted: unknown) => ({
    name,
    description: "",
    inputSchema: schema({ a: wanting(wanted) }),
  });
  const list = headers.learn({ tools: [tool("good", "A"), tool("bad", "")], problems: ["other"] });
  expect(list.tools.map(({ name }) => name)).toEqual(["good"]);
  expect(list.problems).toEqual(["other", expect.stringMatching(/^Its tool bad is left out: /)]);
  expect(headers.of("good", { a: "x" })).toEqual({ "Mcp-Param-A": "x" });
  headers.learn({ tools: [tool("good", "B")], problems: [] });
  expect(headers.of("good", { a: "x" })).toEqual({ "Mcp-Param-B": "x" });
  expect(headers.of("unknown", { a: "x" })).toEqual({});
});
