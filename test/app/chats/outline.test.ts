/** The outline says of every question what became of it, as the parser and the next step see it. */
import { describe, expect, it } from "vitest";
import { outlineRows } from "../../../src/app/chats/outline.ts";
import { emptySession, type Session } from "../../../src/conversation/decide/session.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";

const call = (id: string) =>
  `❓: \`{"id":"${id}","type":"function","function":{"name":"f","arguments":"{}"}}\``;
const rows = (lines: readonly string[], session: Session = emptySession) =>
  outlineRows(parseTranscript(lines.join("\n")), session).map(({ line, text }) => [line, text]);
const answered = ["💬: one", "🤖:[x]", "", "yes", ""];

describe("the outline", () => {
  it("has a row for each question, and none for one that is not written yet", () => {
    expect(
      rows(["---", "topic: ?", "---", "", ...answered, "💬:", "", "  two words", "", "💬: "]),
    ).toEqual([
      [4, "✓ done       one"],
      [9, "○ not asked  two words"],
    ]);
    expect(rows(["💬: "])).toEqual([]);
    expect(rows([])).toEqual([]);
    expect(rows(["🤖: an answer to nothing"])[0]?.[1]).toContain("(no question)");
  });

  it.each([
    [[call("1")], "❓1 waits"],
    [[call("1"), call("2")], "❓2 wait"],
    [["half", "<!-- parley:unfinished open -->"], "… broke off"],
    [["half", "<!-- parley:unfinished stopped -->"], "… stopped"],
    [["half", "<!-- parley:unfinished length -->"], "… too long"],
    [["half", "<!-- parley:unfinished error -->"], "✗ failed"],
    [["<!-- parley:unfinished empty -->"], "✗ no answer"],
    [["all of it"], "✓ done"],
  ])("says of an answer with %j that it is %s", (body, state) => {
    const text = [...answered, "💬: two", "🤖:[x]", "", ...body];
    expect(rows(text)).toEqual([
      [0, "✓ done       one"],
      [5, `${state.padEnd(12)} two`],
    ]);
  });

  it("says which one runs", () => {
    const text = [...answered, "💬: two", "🤖:[x]", "", "half", "<!-- parley:unfinished open -->"];
    const exchange = { line: 5, text: "💬: two", answer: { line: 6, text: "🤖:[x]" } };
    const turn = { exchange, modelCalls: 1, callCounts: {}, invalidAnswers: 0 };
    expect(rows(text, { ...emptySession, turn })[1]?.[1]).toBe("▸ running    two");
  });

  it("shows the beginning of a long question, and nothing that hides", () => {
    const [row] = rows([`💬: ${"🙂".repeat(200)}`]);
    expect([...String(row?.[1])].length).toBe(13 + 80);
    expect(String(rows(["💬: a\u202Eb"])[0]?.[1])).not.toContain("\u202E");
  });
});
