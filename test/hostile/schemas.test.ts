/** Schemas of servers that would keep the host busy for years. */
import { describe, expect, it } from "vitest";
import { createOutputChecks } from "../../src/mcp/client/output-check.ts";
import {
  misfitOf,
  OvertimeError,
  validateArguments,
  withinTime,
} from "../../src/tools/schema-validation.ts";

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

describe("a schema that takes too long", () => {
  it.each(Object.entries(slow))(
    "by %s lets the arguments pass, and says so once",
    async (_, schema) => {
      const logged: string[] = [];
      const tool = {
        name: "t",
        description: "",
        inputSchema: { type: "object", ...schema },
        server: "s",
      };
      for (let time = 0; time < 3; time += 1) {
        const misfit = await validateArguments(tool, JSON.stringify(value), (text) =>
          logged.push(text),
        );
        expect(misfit).toBeNull();
      }
      // On a busy machine it may already take too long to compile.
      expect(logged).toEqual([expect.stringMatching(/takes too long to check|took longer than/)]);
    },
  );

  it("is told of results too, whose text is kept", async () => {
    const told: string[] = [];
    const checks = createOutputChecks("s", { notify: (_, text) => told.push(text) }, () => {});
    const outputSchema = { type: "object", ...slow["a pattern"] };
    checks.take({
      tools: [{ name: "t", description: "", inputSchema: {}, outputSchema }],
      problems: [],
    });
    await checks.check("t", { structuredContent: value });
    expect(told).toEqual([expect.stringMatching(/cannot be used, so they are not checked/)]);
  });

  it("leaves what is quick as it was", async () => {
    const schema = { type: "object", properties: { x: { pattern: "^a+$" } } };
    expect(await misfitOf(schema, { x: "aaa" })).toBeNull();
    expect(await misfitOf(schema, { x: "b" })).toContain("must match pattern");
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

describe("the time for a schema", () => {
  const spin = (milliseconds: number) => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  };

  it("is the processor's: a machine that is busy makes nothing too slow", () => {
    let times = 0;
    const work = () => {
      times += 1;
      if (times < 3) spin(10_000);
      return times;
    };
    expect(withinTime(20, work, () => 0)).toBe(3);
  });

  it("is bounded all the same", () => {
    const pattern = /^(a+)+$/;
    for (const processor of [() => 0, undefined]) {
      expect(() => withinTime(20, () => pattern.test(almost), processor)).toThrow(OvertimeError);
    }
  });

  it("ends with the first try where the processor was taken", () => {
    let times = 0;
    const work = () => {
      times += 1;
      spin(10_000);
    };
    let clock = 0;
    expect(() =>
      withinTime(20, work, () => {
        clock += 30_000;
        return clock;
      }),
    ).toThrow("longer than 20 ms");
    expect(times).toBe(1);
  });

  it("leaves what the work throws as it is", () => {
    const fail = () => {
      throw new RangeError("too deep");
    };
    expect(() => withinTime(20, fail)).toThrow(RangeError);
  });
});
