import { describe, expect, it } from "vitest";
import { parseTranscript } from "../../src/transcript/parse.ts";

describe("the header", () => {
  const entries = (text: string) =>
    parseTranscript(text).header.entries.map(
      ({ key, value, append, line }) => `${line} ${key}${append ? "+" : ""}=${value}`,
    );

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
  ])("is read in %s", (_, text, expected) => {
    expect(entries(text)).toEqual(expected);
    expect(parseTranscript(text).exchanges.length).toBe(1);
  });

  it("says where it is", () => {
    expect(parseTranscript("---\ntopic: a\n---\n").header.range).toEqual({ start: 0, end: 3 });
    expect(parseTranscript("# topic: a\n---\n").header.range).toEqual({ start: 0, end: 2 });
    expect(parseTranscript("💬: a").header.range).toBeNull();
  });
});
