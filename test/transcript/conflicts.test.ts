/** Conflicts of git are found wherever both sides may be sent, and each side can be kept. */
import { describe, expect, it } from "vitest";
import { applyEdits } from "../../src/transcript/edits/layout.ts";
import { parseLines, parseTranscript } from "../../src/transcript/parse.ts";

const conflict = "<<<<<<< HEAD\nmine\n||||||| base\nold\n=======\ntheirs\n>>>>>>> other\n";
const codes = (text: string) =>
  parseTranscript(text).problems.map(({ code, line }) => `${line} ${code}`);

describe("conflicts of git", () => {
  it.each([
    ["in a question", `💬: q\n${conflict}`, ["1 git-conflict"]],
    ["in an answer", `💬: q\n🤖:\n${conflict}`, ["2 git-conflict"]],
    [
      "over two exchanges",
      "<<<<<<< a\n💬: a\n🤖:\nx\n=======\n💬: b\n>>>>>>> b\n",
      ["0 git-conflict"],
    ],
    ["twice", `💬: q\n${conflict}${conflict}`, ["1 git-conflict", "8 git-conflict"]],
    ["as an example in a fence", `💬: q\n\`\`\`\n${conflict}\`\`\`\n`, []],
    ["half", "💬: q\n<<<<<<< a\n=======\n", []],
    ["a heading", "💬: q\nTitle\n=======\n", []],
  ])("are told: %s", (_, text, expected) => {
    expect(codes(text).filter((code) => code.includes("git"))).toEqual(expected);
  });

  it("leave one side", () => {
    const { lines, problems } = parseTranscript(`💬: q\n${conflict}end\n`);
    const kept = problems[0]?.fixes?.map(({ title, edits }) => [title, applyEdits(lines, edits)]);
    expect(kept).toEqual([
      ["Keep the upper side (HEAD)", ["💬: q", "mine", "end"]],
      ["Keep the lower side (other)", ["💬: q", "theirs", "end"]],
    ]);
  });

  it("are told once when a text is read again", () => {
    const before = parseTranscript(`💬: q\n${conflict}\n🤖:\nx\n\n💬: two\n\n🤖:\ny\n\n💬: `);
    const after = parseLines([...before.lines, "more"], before);
    expect(after.problems).toEqual(parseLines([...before.lines, "more"]).problems);
  });
});
