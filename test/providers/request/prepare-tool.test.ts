/** Schemas as they come from MCP servers, prepared so that no vendor refuses them, and the way back. */
import { describe, expect, test } from "vitest";
import type { JsonSchema, Tool } from "../../../src/conversation/ports.ts";
import { prepareTool, restoreArguments } from "../../../src/providers/request/prepare-tool.ts";
import { vendors } from "../../../src/providers/vendors/vendors.ts";
import { ask, callsOf, requestTo, user, webSearch } from "../parts.ts";
import { modelsAt, serve } from "../served.ts";

test("a name with half a character comes back as the tool has it", () => {
  const inputSchema = { type: "object", properties: { "a\ud83d": {} }, required: ["a\ud83d"] };
  const { compat } = vendors.get("anthropic")!;
  const { schema } = prepareTool({ inputSchema }, compat);
  expect(schema).toMatchObject({ properties: { a_: {} }, required: ["a_"] });
  const restored = restoreArguments('{"a_":1}', { ...webSearch, inputSchema }, compat);
  expect(JSON.parse(restored)).toEqual({ "a\ud83d": 1 });
});

test("a rule that no vendor accepts at the root is put into the description, within its length", () => {
  const rule = [{ required: ["a"] }, { required: ["b"] }];
  const inputSchema = { type: "object", properties: { a: {}, b: {} }, oneOf: rule };
  for (const { compat } of vendors.values()) {
    for (const description of ["Does it.", "x".repeat(3000)]) {
      const prepared = prepareTool({ description, inputSchema }, compat);
      expect(prepared.schema).not.toHaveProperty("oneOf");
      expect(prepared.description).toContain(JSON.stringify({ oneOf: rule }));
      expect(prepared.description.length).toBeLessThanOrEqual(compat.toolDescriptionLength ?? 4000);
    }
  }
});

test("Google gets the part of JSON Schema that it knows", () => {
  const { compat } = vendors.get("google")!;
  const inputSchema: JsonSchema = {
    type: "object",
    additionalProperties: false,
    required: ["a", "gone"],
    definitions: { unit: { const: "kg" } },
    properties: {
      a: { type: ["string", "null"], format: "uri", minLength: 1 },
      b: { $ref: "#/definitions/unit" },
      c: { type: "array", items: { type: "integer", exclusiveMinimum: 0 } },
      d: { enum: [1, 2], description: "How many." },
      e: { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
      f: { type: "array" },
      g: { type: "object", patternProperties: { "^x": { type: "string" } } },
      h: { type: ["string", "number"] },
      i: { type: "string", enum: ["", "asc"] },
    },
  };
  expect(prepareTool({ description: "", inputSchema }, compat).schema).toEqual({
    type: "object",
    required: ["a"],
    properties: {
      a: { type: "string", nullable: true, minLength: 1 },
      b: { type: "string", enum: ["kg"] },
      c: { type: "array", items: { type: "integer" } },
      d: { description: "How many. One of [1,2]." },
      e: { anyOf: [{ type: "string" }, { type: "number" }], nullable: true },
      f: { type: "array", items: { type: "string" } },
      g: { type: "object" },
      h: { anyOf: [{ type: "string" }, { type: "number" }] },
      i: { type: "string", description: 'One of ["","asc"].' },
    },
  });
});

describe("names of properties that Anthropic does not take", () => {
  const tool: Tool = {
    ...webSearch,
    inputSchema: {
      type: "object",
      required: ["$filter"],
      properties: {
        $filter: { type: "string" },
        _filter: { type: "string" },
        größe: { type: "object", properties: { "a b": { type: "number" } } },
        [`${"x".repeat(70)}`]: { type: "string" },
      },
    },
  };

  test("go out under other names, in earlier calls too, and come back under their own", async () => {
    const wire = '{"_filter_2":"x","gr_e":{"a_b":1},"_filter":"y"}';
    const own = '{"$filter":"x","größe":{"a b":1},"_filter":"y"}';
    const server = await serve(
      { calls: [{ id: "c1", name: "web_search", arguments: wire }] },
      { text: "Done." },
    );
    const models = modelsAt(server);
    const request = { ...requestTo("anthropic", "claude-sonnet-5-5", [user("hi")]), tools: [tool] };
    const [call] = callsOf(await ask(models, request));
    expect(call?.arguments).toBe(own);
    const schema = server.requests[0]?.body.tools[0].input_schema;
    expect(Object.keys(schema.properties)).toEqual([
      "_filter_2",
      "_filter",
      "gr_e",
      "x".repeat(56),
    ]);
    expect(Object.keys(schema.properties.gr_e.properties)).toEqual(["a_b"]);
    expect(schema.required).toEqual(["_filter_2"]);
    await ask(models, {
      ...request,
      messages: [
        user("hi"),
        {
          role: "assistant",
          content: [{ type: "tool-call", id: "c1", name: "web_search", arguments: own }],
        },
        {
          role: "tool",
          results: [
            {
              type: "tool-result",
              callId: "c1",
              name: "web_search",
              isError: false,
              content: [{ type: "text", text: "ok" }],
            },
          ],
        },
      ],
    });
    expect(server.requests[1]?.body.messages[1].content[0].input).toEqual(JSON.parse(wire));
  });
});

test.each([
  "functions.web_search",
  "default_api.web_search",
  "web_search<|channel|>commentary",
  "functions.web_search:0",
  "tools/web_search",
  "web_search</arg_value>",
  "web_search\n",
])("a call of %s means the one tool that it can mean", async (name) => {
  for (const [provider, id] of [
    ["mistral", "mistral-small"],
    ["anthropic", "claude-sonnet-5-5"],
  ] as const) {
    const server = await serve({ calls: [{ id: "c1", name, arguments: "{}" }] });
    const [call] = callsOf(await ask(modelsAt(server), requestTo(provider, id, [user("hi")])));
    expect(call?.name).toBe("web_search");
  }
});

test.each([
  ["", '{"query":"a </arg_value> b"}'],
  ["{}", '{"query":"a </arg_value> b"}'],
  // Arguments of its own leave nothing to guess.
  ['{"query":"c"}', null],
])(
  "GLM's arguments in a name count only where the call has no others: %j",
  async (given, found) => {
    const name = "web_search<arg_key>query</arg_key>\n<arg_value>a </arg_value> b</arg_value>\n";
    const server = await serve({ calls: [{ id: "c1", name, arguments: given }] });
    const [call] = callsOf(
      await ask(modelsAt(server), requestTo("mistral", "mistral-small", [user("hi")])),
    );
    expect(call).toMatchObject(
      found === null ? { name, arguments: given } : { name: "web_search", arguments: found },
    );
    expect(call?.notes).toEqual(found === null ? undefined : ["repaired"]);
  },
);

test("a call of a tool that is not there keeps its name", async () => {
  const server = await serve({ calls: [{ id: "c1", name: "functions.fly", arguments: "{}" }] });
  const [call] = callsOf(
    await ask(modelsAt(server), requestTo("mistral", "mistral-small", [user("hi")])),
  );
  expect(call?.name).toBe("functions.fly");
});

/** Schemas that vendors refuse as they come from servers, each in one tool beside an innocent one. */
const refusedSchemas: readonly (readonly [name: string, schema: JsonSchema])[] = [
  [
    "definitions",
    {
      type: "object",
      definitions: { a: { type: "string" } },
      properties: { x: { $ref: "#/definitions/a" } },
    },
  ],
  [
    "a tuple",
    {
      type: "object",
      properties: { x: { type: "array", items: [{ type: "string" }], additionalItems: false } },
    },
  ],
  [
    "an exclusive limit of draft-04",
    { type: "object", properties: { x: { type: "integer", minimum: 0, exclusiveMinimum: true } } },
  ],
  ["dependencies", { type: "object", properties: { a: {}, b: {} }, dependencies: { a: ["b"] } }],
  [
    "an array without items",
    { type: "object", properties: { x: { type: ["array", "null"] }, y: { type: "array" } } },
  ],
  [
    "names of properties",
    {
      type: "object",
      properties: { $filter: { type: "string" }, "a b": {}, ["x".repeat(80)]: {} },
      required: ["$filter"],
    },
  ],
  [
    "a choice at the root",
    {
      type: "object",
      properties: { a: {}, b: {} },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    },
  ],
  [
    "a pattern of another language",
    { type: "object", properties: { x: { type: "string", pattern: "(?P<year>\\d+)" } } },
  ],
  ["a name that is required and not there", { type: "object", properties: {}, required: ["gone"] }],
  [
    "numbers to choose from",
    { type: "object", properties: { x: { enum: [1, 2, null] }, y: { const: 3 } } },
  ],
  [
    "halves of characters, as of a description that was cut",
    {
      type: "object",
      properties: {
        "a\ud83d": {
          type: "string",
          description: "cut \ud83d",
          enum: ["\udc00"],
          default: "\ud800",
        },
      },
      required: ["a\ud83d"],
    },
  ],
  ["itself", { type: "object", properties: { child: { $ref: "#" } } }],
  ["nothing", {}],
];

test.each([
  ["openai", "gpt-4.1"],
  ["openai", "gpt-5.2-pro"],
  ["anthropic", "claude-sonnet-5-5"],
  ["google", "gemini-3.8-flash"],
  ["xai", "grok-4.5"],
  ["mistral", "mistral-small-latest"],
] as const)(
  "%s/%s takes a tool of every schema that vendors refuse, at the first request",
  async (provider, id) => {
    const tools = refusedSchemas.map(([name, inputSchema], index) => ({
      ...webSearch,
      name: `tool_${index}`,
      description: `Has ${name}.`,
      inputSchema,
    }));
    const server = await serve({ text: "Hello." });
    const parts = await ask(modelsAt(server), {
      ...requestTo(provider, id, [user("hi")]),
      tools: [...tools, webSearch],
    });
    expect(server.requests.map(({ violation }) => violation)).toEqual([null]);
    expect(server.requests[0]?.body.tools).toHaveLength(refusedSchemas.length + 1);
    expect(parts.filter(({ type }) => type === "notice")).toEqual([]);
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  },
);
