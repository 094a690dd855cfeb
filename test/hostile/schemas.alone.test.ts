/** Schemas of servers that would keep the host busy for years. */
import { describe, expect, it, vi } from "vitest";
import { createOutputChecks } from "../../src/mcp/client/output-check.ts";
import { schemaMismatch, validateArguments } from "../../src/tools/schema-validation.ts";
import { turnsOf } from "../support/event-loop.ts";
import fc from "../support/property.ts";

// The same with less time, since each of these takes all of it.
vi.mock("../../src/tools/schema-judge.ts", async (load) => {
  const original = await load<typeof import("../../src/tools/schema-judge.ts")>();
  const limits = { ...original.judgeLimits, questionMs: 200, shareMs: 800 };
  return { ...original, createSchemaJudge: () => original.createSchemaJudge(limits) };
});

const almost = `${"a".repeat(60)}!`;
const slow: Readonly<Record<string, object>> = {
  "a pattern": { properties: { x: { type: "string", pattern: "^(a+)+$" } } },
  "a pattern of names": { patternProperties: { "^(a|a)+$": { type: "number" } } },
  "a pattern behind a reference": {
    $defs: { a: { pattern: "(x+x+)+y|^(a+)+$" } },
    properties: { x: { $ref: "#/$defs/a" } },
  },
  "choices in choices": {
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        at === 39
          ? { type: "number" }
          : { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    ),
    properties: { x: { $ref: "#/$defs/d0" } },
  },
};

const value = { x: almost, [almost]: "a" };

function toolOf(schema: object, server: string) {
  return { name: "t", description: "", inputSchema: { type: "object", ...schema }, server };
}

describe("a schema that takes too long", () => {
  it.each(Object.entries(slow))(
    "by %s lets the arguments pass, and says so once",
    async (name, schema) => {
      const logged: string[] = [];
      const tool = toolOf(schema, name);
      const validate = () =>
        validateArguments(tool, JSON.stringify(value), (text) => logged.push(text));
      const first = await turnsOf(validate());
      expect(first.turns).toBeGreaterThan(100);
      expect([first.result, await validate(), await validate()]).toEqual([null, null, null]);
      expect(logged).toEqual([
        "The schema of the tool t takes too long to check, so its arguments are passed on unchecked as long as they are a JSON object.",
      ]);
    },
  );

  it("is reported for results too, whose text is kept", async () => {
    const told: string[] = [];
    const checks = createOutputChecks(
      "results",
      { notify: (_, text) => told.push(text) },
      () => {},
    );
    const outputSchema = { type: "object", ...slow["a pattern"] };
    checks.take({
      tools: [{ name: "t", description: "", inputSchema: {}, outputSchema }],
      problems: [],
    });
    await checks.check("t", { structuredContent: value });
    expect(told).toEqual([
      expect.stringMatching(/cannot be used, so they are not checked: It takes too long\./),
    ]);
  });

  it("leaves what is quick as it was", async () => {
    const schema = { type: "object", properties: { x: { pattern: "^a+$" } } };
    expect(await schemaMismatch("s", schema, { x: "aaa" })).toBeNull();
    expect(await schemaMismatch("s", schema, { x: "b" })).toContain("must match pattern");
  });
});

describe("a server that lists new slow schemas again and again", () => {
  it("is judged no more for some time, says so once, and other servers' calls are judged", async () => {
    const logged: string[] = [];
    const log = (text: string) => logged.push(text);
    const mine = toolOf({ properties: { x: { type: "string" } } }, "honest");
    const answers: (string | null)[] = [];
    for (let time = 0; time < 12; time += 1) {
      const hostile = toolOf({ ...slow["a pattern"], title: `listed ${time}` }, "endless");
      const both = [
        validateArguments(hostile, JSON.stringify(value), log),
        validateArguments(hostile, JSON.stringify({ x: `${almost}${time}` }), log),
      ];
      answers.push(await validateArguments(mine, `{"x":${time}}`, log));
      expect(await Promise.all(both)).toEqual([null, null]);
    }
    expect(answers).toEqual(
      answers.map((_, time) => expect.stringContaining(`but it is ${time}.`)),
    );
    const shares = logged.filter((text) =>
      text.startsWith("The schemas of the MCP server endless"),
    );
    expect(shares).toHaveLength(1);
    // Each of the others took its time, up to the server's share.
    expect(logged.length).toBeLessThan(10);
  }, 60_000);
});

describe("any schema", () => {
  const pattern = fc.constantFrom(
    "^(a|a)*$",
    "(a*)*b",
    "(?=(a+))\\1+$",
    "\\p{L}{1,999}$",
    "(",
    "a",
  );
  const number = fc.constantFrom(0, -1, 1e308, 2 ** 53, 0.1);
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>({}, true, null, 7, { $ref: "#" }, { $ref: "#/$defs/a" }, []),
      fc.record({ pattern }),
      fc.record({ type: fc.constantFrom("object", "string", "thing", ["null", 1]) }),
      fc.record({
        properties: fc.dictionary(fc.constantFrom("x", "__proto__", "a"), tie("schema")),
      }),
      fc.record({ patternProperties: fc.dictionary(pattern, tie("schema")) }),
      fc.record({ anyOf: fc.array(tie("schema")), $dynamicRef: fc.constant("#a") }),
      fc.record({ allOf: fc.array(tie("schema")), $defs: fc.record({ a: tie("schema") }) }),
      fc.record({ enum: fc.array(fc.jsonValue()), uniqueItems: fc.boolean() }),
      fc.record({ multipleOf: number, maxLength: number, minItems: number }),
      fc.record({ unevaluatedProperties: tie("schema"), not: tie("schema") }),
      fc.record({ items: tie("schema"), contains: tie("schema"), minContains: number }),
    ),
  }));

  it("gives a sentence, or lets pass, and never throws", async () => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(schema, fc.jsonValue(), async (inner, more) => {
        made += 1;
        const logged: string[] = [];
        const tool = toolOf({ properties: { x: inner }, not: inner }, `any ${made}`);
        const text = JSON.stringify({ x: "a".repeat(40), a: more });
        const misfit = await validateArguments(tool, text, (said) => logged.push(said));
        expect((misfit ?? "").length).toBeLessThan(4000);
        expect(logged.join("").length).toBeLessThan(600);
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  const deepSchema = Array.from({ length: 50_000 }).reduce<object>((inner) => ({ not: inner }), {});
  it.each([
    ["nested deeply", { not: deepSchema }],
    ["of a million choices", { enum: Array.from({ length: 1_000_000 }, (_, at) => at) }],
    ["of one long word", { required: ["a".repeat(2_000_000)] }],
  ])("%s is of no use, which is said in short", async (_, large) => {
    const logged: string[] = [];
    const tool = toolOf(large, "large");
    expect(await validateArguments(tool, "{}", (text) => logged.push(text))).toBeNull();
    expect(logged).toEqual([
      "The schema of the tool t cannot be used (it is too large, or nested too deeply); its arguments are passed on unchecked as long as they are a JSON object.",
    ]);
  });

  it("is reported in short, however long its words are", async () => {
    const long = "b".repeat(100_000);
    const tool = toolOf({ required: [long], properties: { x: { pattern: long } } }, "words");
    const misfit = await validateArguments(tool, '{"x":"a"}', () => {});
    expect((misfit ?? "").length).toBeLessThan(4000);
  });
});

describe("arguments nested 100,000 deep", () => {
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  it.each([
    [{ type: "object" }],
    [{ $defs: { n: { properties: { a: { $ref: "#/$defs/n" } } } }, $ref: "#/$defs/n" }],
    [{ type: "object", properties: { a: { type: "number" } } }],
  ])("give a sentence or pass: %j", async (inputSchema) => {
    const tool = { name: "t", description: "", inputSchema, server: "s" };
    const misfit = await validateArguments(tool, deep, () => {});
    expect(misfit === null || /nested too deeply|must be number/.test(misfit)).toBe(true);
    expect((misfit ?? "").length).toBeLessThan(2000);
  });
});
