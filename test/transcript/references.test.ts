import { describe, expect, it } from "vitest";
import {
  almostReferences,
  escapeReferences,
  referencesIn,
  resourceReference,
} from "../../src/transcript/references.ts";
import fc from "../support/property.ts";

const sources = (text: string) => referencesIn(text, 0).map(({ source }) => source);

describe("references in a text", () => {
  it.each([
    ["look at @docs:file:///a.md please", ["@docs:file:///a.md"]],
    ["@docs:note://a", ["@docs:note://a"]],
    ["(see @docs:note://a(1)), @my-docs.2:x?", ["@docs:note://a(1)", "@my-docs.2:x"]],
    ["“@docs:note://a”.", ["@docs:note://a"]],
    ["@docs:<note://two words>.", ["@docs:<note://two words>"]],
    ["@@./a@@ @docs:x @@./b c@@", ["@@./a@@", "@docs:x", "@@./b c@@"]],
    ["mail me@docs:x, a.@docs:x, @@docs:x, /@docs:x", []],
    ["\\@docs:x and \\@@./a@@ are text", []],
    ["@docs: x, @:x, @ docs:x", []],
    ["@@./with @docs:x inside@@", ["@@./with @docs:x inside@@"]],
  ])("in %j are %j", (text, expected) => {
    expect(sources(text)).toEqual(expected);
  });

  it("have the server and the URI of a resource", () => {
    expect(referencesIn("  @a/b:<x y>", 7)).toEqual([
      { kind: "resource", source: "@a/b:<x y>", target: "x y", label: "a/b", line: 7 },
    ]);
  });
});

describe("resourceReference", () => {
  it("round-trips a resource, or returns null", () => {
    const name = fc.stringMatching(/^[a-zé_][a-z0-9_./ -]{0,6}$/u);
    const uri = fc.oneof(fc.webUrl(), fc.string(), fc.stringMatching(/^[a-z<>().:/@ \\]{1,9}$/));
    fc.assert(
      fc.property(name, uri, (server, target) => {
        const written = resourceReference(server, target);
        if (written === null) return;
        expect(written).not.toMatch(/[\n\r]/);
        expect(referencesIn(`see ${written} now`, 0)).toMatchObject([{ target, label: server }]);
      }),
    );
  });

  it("uses angle brackets only where it must", () => {
    expect(resourceReference("docs", "note://a")).toBe("@docs:note://a");
    expect(resourceReference("docs", "note://a b.")).toBe("@docs:<note://a b.>");
    expect(resourceReference("docs", "a\nb")).toBeNull();
    expect(resourceReference("two words", "note://a")).toBeNull();
  });
});

describe("escapeReferences", () => {
  const piece = fc.constantFrom("@", "@@", "./a", "docs:x", "![a](b)", "\\", " ", "\n", "é", "~/k");

  it("leaves no reference in a text and changes only backslashes", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        const escaped = escapeReferences(text);
        expect(escaped.split("\n").flatMap((line) => sources(line))).toEqual([]);
        expect(escaped.replaceAll("\\", "")).toBe(text.replaceAll("\\", ""));
        if (text.split("\n").every((line) => sources(line).length === 0)) return;
        expect(escaped).not.toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe("almostReferences", () => {
  it.each([
    ["see @@a.ts@@ now", "@@a.ts@@", "@@./a.ts@@"],
    ["@@src/lib/@@", "@@src/lib/@@", "@@./src/lib/@@"],
    ["@@src/**/*.{ts,js}@@", "@@src/**/*.{ts,js}@@", "@@./src/**/*.{ts,js}@@"],
    ["open @@./a.ts and say", "@@./a.ts", "@@./a.ts@@"],
    ["@@~/notes.md", "@@~/notes.md", "@@~/notes.md@@"],
  ])("suggests a correction for %j", (text, written, meant) => {
    expect(almostReferences(`first\n${text}\n${text}`)).toEqual([{ written, meant }]);
    // The suggestion is a valid reference.
    expect(referencesIn(meant, 0)).toHaveLength(1);
  });

  it.each([
    "@@./a.ts@@ and @@diff@@",
    "@@ -1,3 +1,4 @@ function a.b() {",
    "@@ -1 +1 @@",
    "@@count += 1",
    "a @@name@@ b",
    "\\@@a.ts@@ is text",
    "me@@example.org, and you",
    "@@./a.ts@@x@@./b.ts@@",
    "see @@./a.ts@@.",
  ])("suggests nothing for %j", (text) => {
    expect(almostReferences(text)).toEqual([]);
  });

  it("handles very long texts", () => {
    expect(almostReferences("@@a.b@@\n".repeat(100_000))).toHaveLength(1);
    expect(almostReferences("@@a.".repeat(50_000))).toBeDefined();
    expect(almostReferences(`@@${"a.".repeat(100_000)}@@`)).toBeDefined();
  });
});
