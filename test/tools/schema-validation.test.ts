import { describe, expect, it } from "vitest";
import type { JsonSchema, Tool } from "../../src/conversation/ports.ts";
import * as validation from "../../src/tools/schema-validation.ts";

/** Fails a test that does not expect anything in the log. */
function unexpected(text: string): never {
  throw new Error(text);
}

function validateArguments(tool: Tool, text: string, log: (text: string) => void = unexpected) {
  return validation.validateArguments(tool, text, log);
}

function tool(inputSchema: JsonSchema, name = "book"): Tool {
  return { name, description: "", inputSchema, server: null };
}

const booking = tool({
  type: "object",
  properties: {
    city: { type: "string", minLength: 2 },
    nights: { type: "integer", minimum: 1 },
    room: { enum: ["single", "double"] },
    guests: { type: "array", items: { type: "object", required: ["name"] } },
    mail: { type: "string", format: "email" },
  },
  required: ["city"],
  additionalProperties: false,
});

describe("arguments that fit", () => {
  it("return null", async () => {
    expect(await validateArguments(booking, '{"city":"Bern","nights":2}')).toBeNull();
  });

  it("may have names that every object inherits", async () => {
    const names = ["constructor", "toString", "valueOf", "hasOwnProperty"];
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const races = tool({ type: "object", properties, required: ["constructor"] });
    expect(await validateArguments(races, '{"constructor":"ferrari"}')).toBeNull();
    expect(await validateArguments(races, "{}")).toMatch(/`constructor` is required and missing/);
  });

  it("are not converted to another type to make them fit", async () => {
    expect(await validateArguments(booking, '{"city":"Bern","nights":"2"}')).not.toBeNull();
  });
});

describe("arguments that do not fit", () => {
  const cases: readonly [string, string][] = [
    ["{}", "`city` is required and missing."],
    ['{"city":7}', "`city` must be string, but it is 7."],
    ['{"city":"B"}', '`city` must NOT have fewer than 2 characters, but it is "B".'],
    ['{"city":"Bern","nights":0}', "`nights` must be >= 1, but it is 0."],
    ['{"city":"Bern","town":1}', "`town` is not known."],
    ['{"city":"Bern","room":"suite"}', '`room` must be one of ["single","double"], not "suite".'],
    ['{"city":"Bern","guests":[{"name":"A"},{}]}', "`guests[1].name` is required and missing."],
    ['{"city":"Bern","mail":"x"}', '`mail` must match format "email", but it is "x".'],
  ];
  for (const [text, reason] of cases) {
    it(`${text} are reported: ${reason}`, async () => {
      expect(await validateArguments(booking, text)).toBe(
        `The arguments do not fit the schema of book: ${reason} Call it again with corrected arguments.`,
      );
    });
  }

  it("are reported field by field, up to a limit", async () => {
    const required = ["a", "b", "c", "d", "e", "f", "g"];
    const sentence = await validateArguments(tool({ type: "object", required }), "{}");
    expect(sentence).toContain("`a` is required and missing. `b` is required");
    expect(sentence).toContain("And 2 more mistakes.");
    expect(sentence).not.toContain("`f`");
  });

  it("are reported with long values shortened", async () => {
    const text = JSON.stringify({ city: ["x".repeat(10_000)] });
    expect((await validateArguments(booking, text))?.length).toBeLessThan(300);
  });

  it("are reported when they are nested too deeply for a recursive schema", async () => {
    const schema = { properties: { a: { $ref: "#" } } };
    const text = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    expect(await validateArguments(tool(schema), text)).toContain("nested too deeply");
  });

  for (const text of ["", "{", "null", "[]", "7", '"city"']) {
    it(`${JSON.stringify(text)} are reported as not a JSON object`, async () => {
      expect(await validateArguments(booking, text)).toMatch(
        /are not (JSON|a JSON object).*Send one/,
      );
    });
  }
});

describe("the JSON Schema draft", () => {
  const tuple = { properties: { pair: { prefixItems: [{ type: "string" }], items: false } } };

  it("is 2020-12 when the schema declares none", async () => {
    expect(await validateArguments(tool(tuple), '{"pair":["a"]}')).toBeNull();
    expect(await validateArguments(tool(tuple), '{"pair":["a","b"]}')).not.toBeNull();
  });

  it("is 2020-12 when the schema declares it", async () => {
    const $schema = "https://json-schema.org/draft/2020-12/schema";
    expect(await validateArguments(tool({ $schema, ...tuple }), '{"pair":[1]}')).not.toBeNull();
  });

  it("is draft 7 when the schema declares it", async () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const old = { properties: { pair: { items: [{ type: "string" }], additionalItems: false } } };
    expect(await validateArguments(tool({ $schema, ...old }), '{"pair":["a"]}')).toBeNull();
    expect(await validateArguments(tool({ $schema, ...old }), '{"pair":["a","b"]}')).not.toBeNull();
  });

  it("is draft 6 when the schema declares it", async () => {
    const $schema = "http://json-schema.org/draft-06/schema#";
    const old = { properties: { pair: { items: [{ type: "string" }], additionalItems: false } } };
    expect(await validateArguments(tool({ $schema, ...old }), '{"pair":["a"]}')).toBeNull();
    expect(await validateArguments(tool({ $schema, ...old }), '{"pair":["a","b"]}')).not.toBeNull();
    const logged: string[] = [];
    const wrong = tool({ $schema, type: "thing" });
    expect(await validateArguments(wrong, "{}", (text) => logged.push(text))).toBeNull();
    expect(logged).toEqual([expect.stringContaining("schema is invalid")]);
  });

  it("resolves references inside the schema, even when two schemas share an $id", async () => {
    for (const type of ["string", "number"]) {
      const schema = {
        $id: "https://example.org/tool",
        $defs: { value: { type } },
        properties: { value: { $ref: "#/$defs/value" } },
      };
      const wrong = type === "string" ? '{"value":1}' : '{"value":"1"}';
      expect(await validateArguments(tool(schema), wrong)).toContain(`must be ${type}`);
    }
  });
});

describe("a schema that cannot be compiled", () => {
  const broken: Record<string, JsonSchema> = {
    "a reference over the network": { properties: { a: { $ref: "https://example.org/a.json" } } },
    "a reference to nowhere": { properties: { a: { $ref: "#/$defs/none" } } },
    "an unknown draft": { $schema: "https://example.org/my-own-draft", type: "object" },
    "a wrong type": { type: "thing" },
    "a broken pattern": { properties: { a: { pattern: "(" } } },
  };
  for (const [kind, schema] of Object.entries(broken)) {
    it(`(${kind}) rejects only arguments that are not an object, and is logged once`, async () => {
      const logged: string[] = [];
      const log = (text: string) => logged.push(text);
      const broke = tool(schema, "odd");
      expect(await validateArguments(broke, '{"a":1}', log)).toBeNull();
      expect(await validateArguments(broke, "[]", log)).toContain("not a JSON object");
      expect(await validateArguments(broke, "{}", log)).toBeNull();
      expect(logged).toEqual([
        expect.stringContaining("The schema of the tool odd cannot be used"),
      ]);
    });
  }
});

it("does not change the schema", async () => {
  const schema = Object.freeze({ type: "object", properties: Object.freeze({ a: {} }) });
  const before = JSON.stringify(schema);
  await validateArguments(tool(schema), '{"a":1}');
  expect(JSON.stringify(schema)).toBe(before);
});
