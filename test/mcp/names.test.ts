import { describe, expect, it } from "vitest";
import { assignWireNames, type ToolAddress } from "../../src/mcp/names.ts";
import fc from "../support/property.ts";

function namesOf(...tools: readonly ToolAddress[]): readonly string[] {
  return [...assignWireNames(tools).keys()];
}

describe("names on the wire", () => {
  it("are made of server and tool, in characters that every provider takes", () => {
    expect(namesOf({ server: "files", tool: "read_file-2" })).toEqual(["mcp__files__read_file-2"]);
    expect(namesOf({ server: "files", tool: "a.b/c d" })).toEqual([
      expect.stringMatching(/^mcp__files__a_b_c_d_[0-9a-f]{8}$/),
    ]);
  });

  it("are cut with a hash", () => {
    const long = { server: "files", tool: "x".repeat(120) };
    const [name = ""] = namesOf(long);
    expect(name).toMatch(/^mcp__files__x+_[0-9a-f]{8}$/);
    expect(name.length).toBe(64);
    expect(namesOf({ server: "files", tool: `${"x".repeat(120)}y` })).not.toContain(name);
  });

  it("do not fall to a tool that is named like another one's hash", () => {
    const odd = { server: "s", tool: "a.b" };
    const [first = ""] = namesOf(odd);
    const impostor = { server: "s", tool: first.slice("mcp__s__".length) };
    for (const tools of [
      [odd, impostor],
      [impostor, odd],
    ]) {
      const names = assignWireNames(tools);
      expect(names.size).toBe(2);
      expect(names.get(first)).toBe(odd);
    }
  });

  it("tell a server whose name ends with an underscore from a tool whose name begins with one", () => {
    const tools = [
      { server: "a_", tool: "b" },
      { server: "a", tool: "_b" },
      { server: "a__b", tool: "c" },
      { server: "a", tool: "b__c" },
    ];
    expect([...assignWireNames(tools).values()]).toEqual(tools);
  });

  it("are unique, safe and lead back to every tool, and do not depend on the others", () => {
    const part = fc.oneof(
      fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom("a", "_", ".", "/", "é") }),
      fc.string({ minLength: 1, maxLength: 130 }),
    );
    const tools = fc.uniqueArray(fc.record({ server: part, tool: part }), {
      selector: ({ server, tool }) => JSON.stringify([server, tool]),
      maxLength: 40,
    });
    fc.assert(
      fc.property(tools, (addresses) => {
        const names = assignWireNames(addresses);
        expect(new Set(names.values())).toEqual(new Set(addresses));
        for (const [name, address] of names) {
          expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(namesOf(address)).toEqual([name]);
        }
      }),
    );
  });
});
