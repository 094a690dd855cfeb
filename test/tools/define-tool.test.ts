import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { toAnthropicTools } from "../../src/providers/anthropic/anthropic-request.ts";
import { toOpenAITools } from "../../src/providers/openai-chat/openai-request.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import type { StandardInput } from "../../src/tools/standard-schema.ts";
import { ToolArgumentError, ToolSchemaError } from "../../src/tools/tool-errors.ts";
import { parseArguments } from "../../src/tools/typed-tool.ts";

const weather = defineTool({
  name: "get_weather",
  description: "The weather.",
  input: z.object({
    location: z.string().min(2).describe("City name"),
    unit: z.enum(["celsius", "fahrenheit"]).default("celsius").describe("Temperature unit"),
    days: z.int().positive().optional(),
  }),
});

function call(text: string, name = "get_weather") {
  return { id: "call_1", name, arguments: text };
}

async function argumentError(tool: Parameters<typeof parseArguments>[0], text: string) {
  const error: unknown = await parseArguments(tool, call(text, tool.name)).catch(
    (thrown) => thrown,
  );
  if (!(error instanceof ToolArgumentError)) return expect.unreachable(String(error));
  return error.message;
}

describe("the schema of a tool", () => {
  it("has descriptions, and leaves fields with a default out of `required`", () => {
    expect(weather.inputSchema).toEqual({
      type: "object",
      properties: {
        location: { type: "string", minLength: 2, description: "City name" },
        unit: {
          type: "string",
          enum: ["celsius", "fahrenheit"],
          default: "celsius",
          description: "Temperature unit",
        },
        days: { type: "integer", exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      },
      required: ["location"],
    });
  });

  it("is valid as draft 2020-12, also when it is recursive or a union", () => {
    const node = z.object({
      name: z.string(),
      get children() {
        return z.array(node);
      },
    });
    const union = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a") }),
      z.object({ kind: z.literal("b"), mail: z.email() }),
    ]);
    const tools = [
      defineTool({ name: "tree", description: "", input: node }),
      defineTool({ name: "choice", description: "", input: union }),
    ];
    for (const { inputSchema } of tools) {
      expect(new Ajv2020({ strict: false, logger: false }).validateSchema(inputSchema)).toBe(true);
    }
    const types = toOpenAITools(tools).map((tool) => tool.function.parameters?.type);
    expect(types).toEqual(["object", "object"]);
  });

  it("is converted to the format of each provider", () => {
    expect(toOpenAITools([weather])[0]).toMatchObject({
      type: "function",
      function: {
        name: "get_weather",
        description: "The weather.",
        parameters: { type: "object" },
      },
    });
    expect(toAnthropicTools([weather])[0]).toMatchObject({
      name: "get_weather",
      description: "The weather.",
      input_schema: { required: ["location"] },
    });
  });

  it("may come from any library with Standard JSON Schema, even one that validates asynchronously", async () => {
    const other: StandardInput<{ n: number }> = {
      "~standard": {
        version: 1,
        vendor: "another",
        validate: async (value) =>
          value instanceof Object && "n" in value && typeof value.n === "number"
            ? { value: { n: value.n + 1 } }
            : { issues: [{ message: "Expected a number", path: [{ key: "n" }] }] },
        jsonSchema: { input: ({ target }) => ({ $schema: target, type: "object" }) },
      },
    };
    const tool = defineTool({ name: "count", description: "", input: other });
    expect(tool.inputSchema).toEqual({ type: "object" });
    expect(await parseArguments(tool, call('{"n":1}', "count"))).toEqual({ n: 2 });
    expect(await argumentError(tool, '{"n":"1"}')).toContain(
      '`n`: Expected a number, but it is "1".',
    );
  });
});

describe("ToolSchemaError for a definition that cannot be used", () => {
  const input = z.object({});
  const cases: Record<string, [() => unknown, RegExp]> = {
    "a date": [
      () => defineTool({ name: "t", description: "", input: z.object({ at: z.date() }) }),
      /tool t .*Date cannot be represented/,
    ],
    "a schema that is not an object": [
      () => defineTool({ name: "t", description: "", input: z.string() }),
      /must be an object.*not "string"/,
    ],
    "a name with a space": [
      () => defineTool({ name: "my tool", description: "", input }),
      /"my tool".*letters/,
    ],
    "a long name": [
      () => defineTool({ name: "n".repeat(65), description: "", input }),
      /1 to 64 letters/,
    ],
    "plain JSON Schema": [
      // What a file in JavaScript can hand over.
      () => defineTool({ name: "t", description: "", input: { type: "object" } as never }),
      /Use fromJSONSchema/,
    ],
    "no description": [
      () => defineTool({ name: "t", description: undefined as never, input }),
      /description must be a text/,
    ],
    "a run that is not a function": [
      () => defineTool({ name: "t", description: "", input, run: "ls" as never }),
      /run must be a function/,
    ],
  };
  for (const [what, [define, sentence]] of Object.entries(cases)) {
    it(what, () => {
      expect(define).toThrow(ToolSchemaError);
      expect(define).toThrow(sentence);
    });
  }
});

describe("parseArguments", () => {
  it("gives the arguments with the schema's type and its defaults", async () => {
    const args = await parseArguments(weather, call('{"location":"Paris"}'));
    expectTypeOf(args).toEqualTypeOf<{
      location: string;
      unit: "celsius" | "fahrenheit";
      days?: number | undefined;
    }>();
    expect(args).toEqual({ location: "Paris", unit: "celsius" });
  });

  const wrong: readonly [string, string][] = [
    ["{}", "`location` is required and missing."],
    ['{"location":7}', "`location`: Invalid input: expected string, received number, but it is 7."],
    [
      '{"location":"Paris","unit":"kelvin"}',
      'expected one of "celsius"|"fahrenheit", but it is "kelvin".',
    ],
    [
      '{"location":"P","days":1.5}',
      "`days`: Invalid input: expected int, received number, but it is 1.5.",
    ],
  ];
  for (const [text, reason] of wrong) {
    it(`rejects ${text} and reports: ${reason}`, async () => {
      const message = await argumentError(weather, text);
      expect(message).toMatch(/^The arguments do not fit the schema of get_weather: /);
      expect(message).toContain(reason);
      expect(message).toMatch(/Call it again with corrected arguments\.$/);
    });
  }

  for (const text of [
    "",
    '{"location": "Par',
    "null",
    "[]",
    "{'location':'Paris'}",
    '{"location":"a"}}',
  ]) {
    it(`rejects ${JSON.stringify(text)}, which is not a JSON object, without repairing it`, async () => {
      expect(await argumentError(weather, text)).toMatch(
        /get_weather are not .*Send one JSON object\.$/,
      );
    });
  }

  it("rejects a repeated key", async () => {
    expect(await argumentError(weather, '{"location":"Paris","location":"Rome"}')).toContain(
      "repeats the key",
    );
  });

  it("reports fields in lists, unknown fields and the alternatives of a union", async () => {
    const input = z.strictObject({
      items: z.array(z.object({ id: z.union([z.int(), z.literal("all")]) })),
    });
    const tool = defineTool({ name: "t", description: "", input });
    const message = await argumentError(tool, '{"items":[{"id":1},{"id":true}],"more":1}');
    expect(message).toContain("`items[1].id`: Invalid input; none of the alternatives fits (");
    expect(message).toContain('expected "all"');
    expect(message).toContain("`more` is not known.");
  });

  it("reports which field each alternative of a union needs", async () => {
    const input = z.union([z.object({ path: z.string() }), z.object({ address: z.url() })]);
    const tool = defineTool({ name: "t", description: "", input });
    expect(await argumentError(tool, '{"address":5}')).toContain(
      "(`path` is required and missing / `address`: Invalid input: expected string, received number, but it is 5)",
    );
  });

  it("adds the schema's own message for a missing field", async () => {
    const input = z.object({ path: z.string({ error: "an absolute path" }) });
    const tool = defineTool({ name: "t", description: "", input });
    expect(await argumentError(tool, "{}")).toContain(
      "`path` is required and missing: an absolute path.",
    );
  });

  it("runs an asynchronous check once, and reports it when it throws", async () => {
    let asked = 0;
    const input = z.object({ n: z.int() }).refine(async () => {
      asked += 1;
      await Promise.resolve();
      throw new Error("no network");
    });
    const tool = defineTool({ name: "t", description: "", input });
    expect(await argumentError(tool, '{"n":1}')).toContain("could not be checked: no network");
    expect(asked).toBe(1);
  });

  it("keeps the message of a check that JSON Schema cannot express", async () => {
    const input = z
      .object({ from: z.int(), to: z.int().optional() })
      .refine(({ from, to }) => to !== undefined && from < to, {
        path: ["to"],
        message: "to must be given and larger than from",
      });
    const tool = defineTool({ name: "t", description: "", input });
    expect(await argumentError(tool, '{"from":1}')).toContain(
      "`to`: to must be given and larger than from.",
    );
    expect(await argumentError(tool, '{"from":2,"to":1}')).toContain(
      "larger than from, but it is 1.",
    );
  });

  it("throws a TypeError for a call of another tool", async () => {
    await expect(parseArguments(weather, call("{}", "other"))).rejects.toThrow(TypeError);
  });
});
