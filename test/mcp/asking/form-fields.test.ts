import { describe, expect, it } from "vitest";
import {
  type Field,
  parseTyped,
  readFields,
  shownValue,
} from "../../../src/mcp/asking/form-fields.ts";

function field(property: object, isRequired = false): Field {
  const [read] = readFields({
    type: "object",
    properties: { it: property },
    required: isRequired ? ["it"] : [],
  });
  if (!read) throw new Error("no field");
  return read;
}

describe("what is typed into a field", () => {
  const cases: readonly [object, string, unknown][] = [
    [{ type: "string" }, " as it is ", { value: " as it is " }],
    [{ type: "string", minLength: 3 }, "ab", { reason: "Write at least 3 characters." }],
    [{ type: "string", maxLength: 3 }, "abcd", { reason: "Write at most 3 characters." }],
    [{ type: "string", maxLength: 2 }, "💬💬", { value: "💬💬" }],
    [{ type: "string", format: "email" }, "me", { reason: "Write it like name@example.org." }],
    [{ type: "string", format: "email" }, "me@example.org", { value: "me@example.org" }],
    [{ type: "string", format: "uri" }, "here", { reason: "Write it like https://example.org." }],
    [{ type: "string", format: "uri" }, "https://a.org/x", { value: "https://a.org/x" }],
    [{ type: "string", format: "date" }, "2026-02-30", { reason: "Write it like 2026-01-31." }],
    [{ type: "string", format: "date" }, "2026-02-28", { value: "2026-02-28" }],
    [
      { type: "string", format: "date-time" },
      "2026-02-28 10:00",
      { reason: "Write it like 2026-01-31T18:30:00Z." },
    ],
    [
      { type: "string", format: "hostname" },
      "no such format here",
      { value: "no such format here" },
    ],
    [{ type: "number" }, "3.5e1", { value: 35 }],
    [{ type: "number" }, " -2 ", { value: -2 }],
    [{ type: "number" }, "0x10", { reason: "Write a number." }],
    [{ type: "number" }, "1e999", { reason: "The number is too large." }],
    [{ type: "integer" }, "9007199254740993", { reason: "The number is too large." }],
    [{ type: "integer" }, "9007199254740992", { value: 9007199254740992 }],
    [{ type: "number" }, "two", { reason: "Write a number." }],
    [{ type: "integer" }, "2.5", { reason: "Write a whole number." }],
    [{ type: "integer" }, "2.0", { value: 2 }],
    [{ type: "number", minimum: 1 }, "0", { reason: "It must be 1 or more." }],
    [{ type: "number", maximum: 1 }, "2", { reason: "It must be 1 or less." }],
  ];
  for (const [property, typed, expected] of cases) {
    it(`is checked: ${JSON.stringify(property)}, ${JSON.stringify(typed)}`, () => {
      expect(parseTyped(field(property), typed)).toEqual(expected);
    });
  }

  it("is not measured by rules that the protocol does not have", () => {
    const slow = field({ type: "string", pattern: "^(a+)+$" });
    expect(parseTyped(slow, `${"a".repeat(40)}!`)).toEqual({ value: `${"a".repeat(40)}!` });
  });
});

describe("choices", () => {
  const labels = (property: object) => field(property).options.map(({ label }) => label);

  it("are read in every form that the protocol has", () => {
    const titled = [{ const: "r", title: "Red" }, { const: "b" }];
    expect(labels({ type: "string", enum: ["r", "b"] })).toEqual(["r", "b"]);
    expect(labels({ type: "string", enum: ["r", "b"], enumNames: ["Red"] })).toEqual(["Red", "b"]);
    expect(labels({ type: "string", oneOf: titled })).toEqual(["Red", "b"]);
    expect(labels({ type: "array", items: { type: "string", enum: ["r"] } })).toEqual(["r"]);
    expect(labels({ type: "array", items: { anyOf: titled } })).toEqual(["Red", "b"]);
  });

  it("of several are counted", () => {
    const several = field({
      type: "array",
      items: { enum: ["a", "b", "c"] },
      minItems: 1,
      maxItems: 2,
    });
    expect(several.kind).toBe("several");
    expect(several.misfit([])).toBe("Choose at least 1.");
    expect(several.misfit(["a", "b", "c"])).toBe("Choose at most 2.");
    expect(several.misfit(["a", "b"])).toBeNull();
    expect(several.hint).toBe("1 to 2 of them");
    expect(shownValue(several, ["a", "b"])).toBe("a, b");
  });
});

describe("defaults", () => {
  const initial = (property: object) => field(property).initial;

  it("are offered where they fit", () => {
    expect(initial({ type: "string", default: "x" })).toBe("x");
    expect(initial({ type: "integer", default: 42 })).toBe(42);
    expect(initial({ type: "boolean", default: false })).toBe(false);
    expect(initial({ type: "string", enum: ["a"], default: "a" })).toBe("a");
    expect(initial({ type: "array", items: { enum: ["a"] }, default: ["a"] })).toEqual(["a"]);
  });

  it("that break the field's own rules are not", () => {
    expect(initial({ type: "integer", default: 2.5 })).toBeNull();
    expect(initial({ type: "string", enum: ["a"], default: "b" })).toBeNull();
    expect(initial({ type: "string", default: 7 })).toBeNull();
    expect(initial({ type: "array", items: { enum: ["a"] }, default: ["b"] })).toBeNull();
  });
});

describe("what a server says of a field", () => {
  it("is one short line without invisible characters", () => {
    const said = field({
      type: "string",
      title: "Na\u202eme\nof it",
      description: `two\nlines ${"x".repeat(500)}`,
    });
    expect(said.label).toBe("Na\\u{202e}me of it");
    expect(said.hint).toMatch(/^two lines x+…$/);
    expect(said.hint.length).toBeLessThan(120);
  });

  it("falls back to the name", () => {
    expect(field({ type: "boolean", title: " " }).label).toBe("it");
  });
});

it("a field of another kind is refused by name", () => {
  expect(() => field({ type: "object" })).toThrow(
    'The form\'s field "it" has a type that Parley cannot ask for',
  );
  expect(() => field({ type: "array", items: { type: "number" } })).toThrow("cannot ask for");
  const many = Array.from({ length: 101 }, (_, index) => [`f${index}`, { type: "string" }]);
  expect(() => readFields({ properties: Object.fromEntries(many) })).toThrow("over 100 fields");
  expect(() => readFields(7)).toThrow("The form has no properties.");
});

it("a field with a name of every object is a field like others", () => {
  const fields = readFields(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'));
  expect(fields.map(({ name }) => name)).toEqual(["__proto__"]);
});

it("a field with more choices than anybody reads is refused", () => {
  const options = Array.from({ length: 1001 }, (_, index) => String(index));
  expect(() => field({ type: "string", enum: options })).toThrow(/"it" has over 1000 choices/);
});
