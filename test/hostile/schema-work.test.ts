/** What a request makes of a server's schema: at twice the size, twice the steps, whatever refers to what. */
import { describe, expect, it, vi } from "vitest";
import { readParameterHeaders } from "../../src/mcp/client/parameter-headers.ts";
import { inlineSchema } from "../../src/providers/request/inline-schema.ts";
import { modernSchema } from "../../src/providers/request/modern-schema.ts";
import { prepareTool, wireArguments } from "../../src/providers/request/prepare-tool.ts";
import { objectSchema } from "../../src/providers/request/tool-schema.ts";
import { hasShape } from "../../src/providers/text-tools/arguments/plain-fit.ts";
import { vendors } from "../../src/providers/vendors/vendors.ts";

type Schema = Readonly<Record<string, unknown>>;

/** More than any of these needs: work that doubles with each level must end the test and not the machine. */
const mostReads = 400_000;

/** The same schema, and how often something of it was read. */
function counted(schema: Schema): { readonly schema: Schema; reads(): number } {
  let reads = 0;
  const step = () => {
    reads += 1;
    if (reads > mostReads) throw new Error("It reads the schema again and again.");
  };
  const known = new WeakMap<object, object>();
  const wrap = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const before = known.get(value);
    if (before !== undefined) return before;
    const proxy = new Proxy(value, {
      get(target, key, receiver) {
        step();
        return wrap(Reflect.get(target, key, receiver));
      },
      getOwnPropertyDescriptor(target, key) {
        step();
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
    known.set(value, proxy);
    return proxy;
  };
  return { schema: wrap(schema) as Schema, reads: () => reads };
}

const times = <Value>(count: number, make: (at: number) => Value) =>
  Array.from({ length: count }, (_, at) => make(at));
const named = <Value>(count: number, make: (at: number) => Value) =>
  Object.fromEntries(times(count, (at) => [`n${at}`, make(at)]));

const schemas: Readonly<Record<string, (size: number) => Schema>> = {
  "references in a chain of pairs": (size) => ({
    $defs: named(size, (at) => ({
      properties: { a: { $ref: `#/$defs/n${at + 1}` }, b: { $ref: `#/$defs/n${at + 1}` } },
    })),
    properties: { x: { $ref: "#/$defs/n0" } },
  }),
  "references in one long chain": (size) => ({
    $defs: named(size, (at) => ({ $ref: `#/$defs/n${at + 1}` })),
    properties: { x: { $ref: "#/$defs/n0" } },
  }),
  "many references to itself": (size) => ({ properties: named(size, () => ({ $ref: "#" })) }),
  "parts that are itself": (size) => ({ allOf: times(size, () => ({ $ref: "#" })) }),
  "choices that are itself": (size) => ({
    anyOf: times(size, () => ({ $ref: "#" })),
    allOf: [{ $ref: "#" }, { $ref: "#/anyOf/0" }],
  }),
  "parts of parts": (size) => ({
    $defs: named(size, (at) => ({
      allOf: [{ $ref: `#/$defs/n${at + 1}` }, { $ref: `#/$defs/n${at + 1}` }],
    })),
    allOf: [{ $ref: "#/$defs/n0" }],
  }),
  "many parts with a property each": (size) => ({
    allOf: times(size, (at) => ({ properties: { [`p${at}`]: {} }, required: [`p${at}`] })),
  }),
  "many choices of one property": (size) => ({
    oneOf: times(size, (at) => ({ properties: { p: { const: at } }, required: times(9, String) })),
  }),
  "many references to much": (size) => ({
    $defs: { much: { properties: named(size, () => ({})), required: times(size, String) } },
    anyOf: times(size, () => ({ $ref: "#/$defs/much" })),
  }),
  "names that no vendor takes": (size) => ({ properties: oddNames(size) }),
  "headers for each property": (size) => ({
    properties: named(size, (at) => ({ type: "string", "x-mcp-header": `h${at}` })),
  }),
};

function oddNames(size: number): Schema {
  return Object.fromEntries(times(size, (at) => [`ä${String.fromCodePoint(0x4e00 + at)}`, {}]));
}

const walks: Readonly<Record<string, (schema: Schema) => unknown>> = {
  "made modern": modernSchema,
  "written out": inlineSchema,
  "made an object": objectSchema,
  "asked for headers": readParameterHeaders,
  "held against a value": (schema) =>
    hasShape(schema, { x: { a: { a: 1 } }, n0: [], n1: {}, n2: {} }),
};

describe("a schema", () => {
  it.each(
    Object.entries(walks).flatMap(([name, walk]) =>
      Object.entries(schemas).map(([of, make]) => [name, of, walk, make] as const),
    ),
  )("is %s in steps that grow with it: %s", (_, __, walk, make) => {
    const [small = 0, large = 0] = [400, 800].map((size) => {
      const { schema, reads } = counted(make(size));
      walk(schema);
      return reads();
    });
    expect(large).toBeLessThan(2.6 * small + 5000);
  });
});

describe("names that no vendor takes", () => {
  const compat = [...vendors.values()].find(
    (vendor) => vendor.compat.propertyName !== null,
  )?.compat;
  if (compat === undefined) throw new Error("Every vendor takes every name.");

  it("are numbered without counting from the start each time", () => {
    const has = vi.spyOn(Set.prototype, "has");
    const [small = 0, large = 0] = [300, 600].map((size) => {
      has.mockClear();
      prepareTool({ inputSchema: { properties: oddNames(size) } }, compat);
      return has.mock.calls.length;
    });
    has.mockRestore();
    expect(large).toBeLessThan(2.6 * small);
  });

  it("are given once for all calls of a history", () => {
    const { schema, reads } = counted({ properties: oddNames(300) });
    const tool = { name: "t", description: "", inputSchema: schema, server: "s" };
    const wire = () => wireArguments('{"ä一":1}', tool, compat);
    expect(wire()).toBe('{"_":1}');
    const before = reads();
    expect([wire(), wire()]).toEqual(['{"_":1}', '{"_":1}']);
    expect(reads()).toBe(before);
  });

  it("are left alone in arguments that nobody can walk through", () => {
    const tool = {
      name: "t",
      description: "",
      inputSchema: { properties: { ä: {} } },
      server: "s",
    };
    const deep = `${'{"ä":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    expect(wireArguments(deep, tool, compat)).toBe(deep);
  });
});

describe("patterns of a schema", () => {
  const kept = (pattern: string) => modernSchema({ pattern }).pattern === pattern;

  it("are kept where a model may read them", () => {
    for (const pattern of ["^a+$", "\\p{L}+", "[\\p{Lu}\\d_]", "\\P{Script=Greek}", "\\\\p{x}"]) {
      expect([pattern, kept(pattern)]).toEqual([pattern, isValid(pattern)]);
    }
    for (const pattern of ["(", "\\p{Nothing}", "\\p{L", "[\\p{L}-z]", "\\-"]) {
      expect([pattern, kept(pattern)]).toEqual([pattern, false]);
      expect(isValid(pattern)).toBe(false);
    }
  });

  it("are looked at without what a property of Unicode costs, and no further than people write", () => {
    const read: string[] = [];
    const original = globalThis.RegExp;
    vi.stubGlobal(
      "RegExp",
      new Proxy(original, {
        construct(target, args) {
          read.push(String(args[0]));
          return Reflect.construct(target, args);
        },
      }),
    );
    try {
      expect(kept("\\p{Ll}".repeat(100))).toBe(true);
      expect(kept("\\p{Ll}".repeat(100_000))).toBe(false);
    } finally {
      vi.unstubAllGlobals();
    }
    const properties = read.join("").split("\\p").length - 1;
    expect(properties).toBeLessThanOrEqual(1);
    expect(read.join("").length).toBeLessThan(1000);
  });

  function isValid(pattern: string): boolean {
    try {
      new RegExp(pattern, "u");
      return true;
    } catch {
      return false;
    }
  }
});
