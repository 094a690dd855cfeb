import { describe, expect, it } from "vitest";
import { removeHeaderKeys, setHeaderValue } from "../../src/transcript/edits/header-edits.ts";
import { applyEdits } from "../../src/transcript/edits/layout.ts";
import { oneLine } from "../../src/transcript/markers.ts";
import { parseLines, parseTranscript } from "../../src/transcript/parse.ts";
import fc from "../support/property.ts";

describe("the header", () => {
  const entries = (text: string) =>
    parseTranscript(text).header.entries.map(
      ({ key, value, append, line }) => `${line} ${key}${append ? "+" : ""}=${value}`,
    );

  it("ignores and reports entries beyond its maximum length, but keeps every line", () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `k${at}: value`);
    const { header, problems, exchanges } = parseTranscript(
      ["---", "topic: a", ...many, "model: x/y", "---", "💬: q"].join("\n"),
    );
    const last = header.entries.at(-1)?.end ?? 0;
    expect(last).toBeGreaterThan(5000);
    expect(header.entries.map(({ key }) => key)).not.toContain("model");
    expect(header.range?.end).toBe(many.length + 4);
    expect(exchanges).toHaveLength(1);
    expect(problems).toMatchObject([
      { line: last, message: expect.stringContaining("The header is longer than") },
    ]);
  });

  it.each([
    [
      "the present form",
      "---\ntopic: a: b\nmodel:x/y \nrole+: more\n- tags: z\nno entry\n---\n💬: q",
      ["1 topic=a: b", "2 model=x/y", "3 role+=more", "4 tags=z"],
    ],
    [
      "the older form",
      "# topic: a\n\n- provider: p\n- model: m\n---\n💬: q",
      ["0 topic=a", "2 provider=p", "3 model=m"],
    ],
    ["an empty header", "---\n---\n💬: q", []],
    ["a header that is not closed", "---\ntopic: a\n💬: q", []],
    ["the older form not closed", "# topic: a\ntext\n---\n💬: q", []],
    ["a rule that is not at the top", "\n---\ntopic: a\n---\n💬: q", []],
    ["no header", "💬: q\n---\ntopic: a\n---\n", []],
  ])("reads %s", (_, text, expected) => {
    expect(entries(text)).toEqual(expected);
    expect(parseTranscript(text).exchanges.length).toBe(1);
  });

  it("has the range of its lines", () => {
    expect(parseTranscript("---\ntopic: a\n---\n").header.range).toEqual({ start: 0, end: 3 });
    expect(parseTranscript("# topic: a\n---\n").header.range).toEqual({ start: 0, end: 2 });
    expect(parseTranscript("💬: a").header.range).toBeNull();
  });
});

describe("front matter as YAML", () => {
  const read = (text: string) =>
    parseTranscript(`---\n${text}\n---\n`).header.entries.map(({ key, value, form, reason }) => [
      key,
      value,
      reason === null ? form : `${form}!`,
    ]);

  it.each([
    ["system_prompt: |\n  Be brief.\n\n    Be kind.\n", "Be brief.\n\n  Be kind.", "block"],
    ["system_prompt: >-\n  Be\n  brief.\n\n  Be kind.", "Be brief.\nBe kind.", "block"],
    ["tools:\n  - files\n  - -files.write # no writing\n", "files, -files.write", "list"],
    ["tools:\n- files\n\n# and\n- mock\n", "files, mock", "list"],
    ["tools: [files, 'a b']", "files, a b", "list"],
    ["tools: [\n  files,\n  mock\n]", "files, mock", "list"],
    ["topic: 'it''s'", "it's", "quoted"],
    ['topic: "a\\tb: c" # note', "a\tb: c", "quoted"],
    ["topic: a # note", "a", "plain"],
    ["topic: a\n  b", "a b", "plain"],
    ["topic:", "", "plain"],
    ["topic: 007", "007", "plain"],
    ["topic: a: b", "a: b", "literal"],
    ["topic: ?", "?", "literal"],
    ["tools: *", "*", "literal"],
    ["topic: @home", "@home", "literal"],
    ["topic:x", "x", "plain"],
    ['topic: "open', '"open', "literal!"],
    ['topic: "a" b', '"a" b', "literal!"],
    ["tools: [a, b", "[a, b", "literal!"],
    ["topic: {a: b}", "{a: b}", "literal!"],
    ["topic:\n  a: b", "", "unreadable!"],
    ["topic: !!int\n  5", "", "unreadable!"],
    ["topic: &x\n  a", "", "unreadable!"],
    ["tools:\n  - a\n  - - b", "", "unreadable!"],
  ])("reads %j", (text, value, form) => {
    const [key = ""] = text.split(":");
    expect(read(`other: 1\n${text}\nlast: 2`)).toEqual([
      ["other", "1", "plain"],
      [key, value, form],
      ["last", "2", "plain"],
    ]);
  });

  it("ignores comments and reports a line without a key", () => {
    const text = "---\n# model: x/y\ntopic: a\nno entry\n---\n💬: q";
    const { header, problems } = parseTranscript(text);
    expect(header.entries.map(({ key }) => key)).toEqual(["topic"]);
    expect(problems).toMatchObject([{ line: 3, code: "unusable-header-value" }]);
  });

  it("is read as literal text in headers of the Lua Parley", () => {
    const lines = 'topic: "a" # b\nfile: x.md\nrole: [x\n- tags: a';
    expect(read(lines).map(([, value, form]) => `${value} ${form}`)).toEqual([
      '"a" # b literal',
      "x.md literal",
      "[x literal",
      "a literal",
    ]);
    expect(parseTranscript(`---\n${lines}\n---\n`).problems).toEqual([]);
  });

  it.each([
    "[".repeat(60_000),
    "{a: ".repeat(15_000),
    "- ".repeat(30_000),
    "? ".repeat(30_000),
    `[${"&a [*a,".repeat(8_000)}`,
    "a ".repeat(40_000),
  ])("is not parsed as YAML when it is hostile (case %#)", (value) => {
    for (const text of [`tools: ${value}`, `tools:\n  ${value}`]) {
      expect(read(text)[0]?.[2]).toMatch(/^(literal|unreadable)/);
    }
  });
});

describe("a value written into the header", () => {
  const values = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.stringMatching(/^[-#:"'[\]{}|>&*!%@`?, \\na0]{0,12}$/),
  );
  const headers = fc.constantFrom(
    "---\ntopic: old # note\nmodel: a/b\n---",
    "---\nmodel: a/b\ntopic: |\n  old\n  text\ntags: [a]\n---",
    "---\ntags:\n- a\ntopic:\n- b\n- c\n# end\n---",
    "---\nmodel: a/b\n---",
    "---\ntopic: old\nfile: x.md\n---",
    "# topic: old\n- file: x.md\n---",
    "",
  );

  it("is read back as the same single line, and changes nothing else", () => {
    fc.assert(
      fc.property(headers, values, fc.boolean(), (header, value, isDos) => {
        const lines = `${header}\n\n💬: q`.split("\n").map((line) => (isDos ? `${line}\r` : line));
        const before = parseLines(lines);
        const after = parseLines(applyEdits(lines, setHeaderValue(before, "topic", value)));
        const of = ({ header: { entries } }: typeof before, isTopic: boolean) =>
          entries.filter(({ key }) => (key === "topic") === isTopic).map((entry) => entry.value);
        expect(of(after, true)).toEqual([oneLine(value)]);
        expect(of(after, false)).toEqual(of(before, false));
        expect(after.exchanges.map(({ question }) => question.text)).toEqual(["q"]);
        const kept = lines.filter((line) => !/topic|old|text|- [bc]|^[-#\s]*$/.test(line));
        expect(after.lines).toEqual(expect.arrayContaining(kept));
      }),
    );
  });

  it("keeps the comment at the end of its line", () => {
    const before = parseTranscript("---\nmodel: a/b # the cheap one\n---\n");
    expect(setHeaderValue(before, "model", "c/d")[0]?.lines).toEqual([
      "model: c/d # the cheap one",
    ]);
  });

  it.each([
    ["---\ntopic: a\nmodel: b/c\n---", "---\ntopic: a\nagent: x\n---"],
    ["---\nprovider: b\nagent: y # mine\nmodel: |\n  b/c\n---", "---\nagent: x # mine\n---"],
    ["---\nagent: y\nmodel: b/c\n---", "---\nagent: x\n---"],
    ["# topic: a\n- model: b/c\n---", "# topic: a\n- agent: x\n---"],
    ["---\ntopic: a\n---", "---\ntopic: a\nagent: x\n---"],
  ])("replaces other keys in one edit: %j", (header, expected) => {
    const before = parseTranscript(`${header}\n💬: q\n`);
    const edits = [
      ...removeHeaderKeys(before, ["model", "provider"]),
      ...setHeaderValue(before, "agent", "x"),
    ].toSorted((a, b) => a.start - b.start || a.end - b.end);
    expect(applyEdits(before.lines, edits).join("\n")).toBe(`${expected}\n💬: q`);
  });
});
