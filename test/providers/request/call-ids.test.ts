import { describe, expect, it } from "vitest";
import { createCallIds } from "../../../src/providers/request/call-ids.ts";
import fc from "../../support/property.ts";

const rule = { length: 40, isExact: false, keepsMeaning: true };

describe("the ids of calls on the wire", () => {
  it("are the transcript's own where they can be", () => {
    const next = createCallIds(rule);
    expect(["call_1", "toolu_01-Ab"].map(next)).toEqual(["call_1", "toolu_01-Ab"]);
  });

  it("differ for each call, also when the transcript repeats an id or runs into a made one", () => {
    const next = createCallIds(rule);
    expect(["a", "a", "a_2", "a", "a_2"].map(next)).toEqual(["a", "a_2", "a_2_2", "a_3", "a_2_3"]);
  });

  it("fit every provider", () => {
    const next = createCallIds(rule);
    expect(next("")).toBe("call");
    expect(next("functions.search")).toBe("functions_search");
    expect(next("x".repeat(64))).toBe("x".repeat(40));
    expect(next("x".repeat(50))).toBe(`${"x".repeat(38)}_2`);
  });

  it("stay as they are where they say something to a model or a gateway, and are counted as it counts", () => {
    const next = createCallIds(rule);
    const signed = `call_1__thought__${"aB+/".repeat(300)}==`;
    expect(["functions.a:0", "functions.b:0", "functions.a:0", signed].map(next)).toEqual([
      "functions.a:0",
      "functions.b:0",
      "functions.a:1",
      signed,
    ]);
  });

  it.each([
    [{ ...rule, keepsMeaning: false }, /^[a-zA-Z0-9_-]{1,40}$/],
    [{ length: 9, isExact: true, keepsMeaning: false }, /^[a-zA-Z0-9]{9}$/],
  ])("are unique, fit %j, and depend only on the calls above", (rule, form) => {
    const id = fc.oneof(fc.constantFrom("a", "a_2", "a_2_2", "b"), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.array(id), fc.array(id), (above, below) => {
        const all = [...above, ...below].map(createCallIds(rule));
        expect(all.slice(0, above.length)).toEqual(above.map(createCallIds(rule)));
        expect(new Set(all).size).toBe(all.length);
        for (const mapped of all) expect(mapped).toMatch(form);
      }),
    );
  });
});
