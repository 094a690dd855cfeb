import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assignWireNames, type ToolAddress } from "../../src/mcp/names.ts";

function namesOf(...tools: readonly ToolAddress[]): readonly string[] {
  return [...assignWireNames(tools).keys()];
}

describe("names on the wire", () => {
  it("are made of server and tool, in characters that every provider takes", () => {
    expect(namesOf({ server: "files", tool: "a.b/c d" })).toEqual(["mcp__files__a_b_c_d"]);
  });

  it("are cut with a hash that depends on the tool alone", () => {
    const long = { server: "files", tool: "x".repeat(120) };
    const [name = ""] = namesOf(long);
    expect(name).toMatch(/^mcp__files__x+_[0-9a-f]{6}$/);
    expect(name.length).toBe(64);
    expect(namesOf({ server: "other", tool: "y" }, long)).toContain(name);
    expect(namesOf({ server: "files", tool: `${"x".repeat(120)}y` })).not.toContain(name);
  });

  it("are told apart by hashes where two would be the same", () => {
    const names = namesOf({ server: "s", tool: "a.b" }, { server: "s", tool: "a/b" });
    expect(names.length).toBe(2);
    for (const name of names) expect(name).toMatch(/^mcp__s__a_b_[0-9a-f]{6}$/);
  });

  it("do not fall to a tool that is named like another one's hash", () => {
    const clash = [
      { server: "s", tool: "a.b" },
      { server: "s", tool: "a/b" },
    ];
    const [first = ""] = namesOf(...clash);
    const impostor = { server: "s", tool: first.slice("mcp__s__".length) };
    const names = assignWireNames([...clash, impostor]);
    expect(names.size).toBe(3);
    expect(names.get(first)).toBe(impostor);
  });

  it("are unique, safe and lead back to every tool, in any order", () => {
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
        for (const name of names.keys()) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        const backwards = assignWireNames([...addresses].reverse());
        for (const [name, address] of names) expect(backwards.get(name)).toBe(address);
      }),
    );
  });
});
