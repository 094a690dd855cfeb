import { describe, expect, it } from "vitest";
import { applyEdits } from "../../src/transcript/edits/layout.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import { problemLevels } from "../../src/transcript/problems.ts";
import { callLine, outline, problems, resultLines } from "./outline.ts";

/** The text after a fix of its first problem. */
function fixed(text: string, fix: number): string {
  const { lines, problems: found } = parseTranscript(text);
  const edits = found[0]?.fixes?.[fix]?.edits;
  if (edits === undefined) throw new Error("The first problem has no such fix.");
  return applyEdits(lines, edits).join("\n");
}

describe("a result that lost its backticks", () => {
  it("gets its text back with the fix", () => {
    const text = `💬: q\n🤖:\n${callLine("1")}\n🛠️: [t][1]\n\n{"a": "\`\`\`"}\nb\n\nSo it is.`;
    expect(parseTranscript(text).exchanges[0]?.answer?.steps[0]?.calls[0]?.result?.text).toBe("");
    const repaired = fixed(text, 0);
    expect(problems(repaired)).toEqual([]);
    const [called, said] = parseTranscript(repaired).exchanges[0]?.answer?.steps ?? [];
    expect(called?.calls[0]?.result?.text).toBe('{"a": "```"}\nb');
    expect(said?.blocks).toMatchObject([{ kind: "text", text: "So it is." }]);
  });
});

describe("the problems of invalid input", () => {
  const a = "💬: q\n🤖:\n";
  it.each([
    ["JSON that cannot be read", `${a}❓:[ya] \`{\``, ["3 broken-call"]],
    ["a key repeated in a call", `${a}❓: \`{"id":"1","id":"2"}\``, ["3 broken-call"]],
    ["a key repeated in arguments", a + callLine("1", "", '{"a":1,"a":2}'), ["3 broken-call"]],
    ["a decision that does not exist", a + callLine("1", "yes"), ["3 unknown-decision"]],
    [
      "unreadable JSON and an unknown decision",
      `${a}❓:[ok] \`{\``,
      ["3 broken-call", "3 unknown-decision"],
    ],
    ["an id used twice", `${a}${callLine("1")}\n${callLine("1")}`, ["4 duplicate-call-id"]],
    ["a result without call", a + resultLines("1"), ["3 orphan-result"]],
    [
      "a second result",
      `${a}${callLine("1")}\n${resultLines("1")}\n${resultLines("1")}`,
      ["7 orphan-result"],
    ],
    [
      "a result of another step",
      `${a}${callLine("1")}\n<!-- parley:step {} -->\n${resultLines("1")}`,
      ["5 orphan-result"],
    ],
    [
      "a status that does not exist",
      `${a}${callLine("1")}\n🛠️: [t][1] (fine)`,
      ["4 malformed-result"],
    ],
    [
      "a result without backticks",
      `${a}${callLine("1")}\n🛠️: [t][1]\n\nfound\nit\n\nSo it is.`,
      ["4 bare-result"],
    ],
    ["a fence not closed in a question", "💬: q\n```js\nx", ["2 unclosed-fence"]],
    ["a fence not closed in an answer", `${a}text\n~~~\nx\n`, ["4 unclosed-fence"]],
    [
      "a fence not closed in a result",
      `${a}${callLine("1")}\n🛠️: [t][1]\n\n\`\`\`\nx\n💬: n`,
      ["6 unclosed-fence"],
    ],
    ["a marker in an open fence", `${a}\`\`\`\n💬: b\n🤖:\n`, ["3 marker-in-fence"]],
    [
      "a fence that is open at the unfinished mark",
      `${a}\`\`\`\n<!-- parley:unfinished open -->\n`,
      [],
    ],
    ["a call look-alike", `${a}❓: really?`, ["3 look-alike"]],
    ["a result look-alike", `${a}🛠️: tools`, ["3 look-alike"]],
    ["a look-alike of the Lua Parley", `${a}🔧: wrench`, ["3 look-alike"]],
    [
      "a body of the Lua Parley not closed",
      `${a}🔧: t id=1\n\`\`\`json\n{}`,
      ["3 unclosed-legacy", "4 unclosed-fence"],
    ],
    ["a step line that cannot be read", `${a}<!-- parley:step {x} -->`, ["3 malformed-comment"]],
    [
      "a step line with a path",
      `${a}<!-- parley:step {"files":{"@@a@@":"../x"}} -->`,
      ["3 malformed-comment"],
    ],
    [
      "a step line that repeats a key",
      `${a}<!-- parley:step {"tail":false,"tail":true} -->`,
      ["3 malformed-comment"],
    ],
    ["a mark without a reason", `${a}<!-- parley:unfinished -->`, ["3 malformed-comment"]],
    ["a mark that does not end", `${a}<!-- parley:unfinished open`, ["3 malformed-comment"]],
    ["an unknown comment", `${a}<!-- parley:other -->`, ["3 malformed-comment"]],
    ["footnotes", `---\nfile: x\n---\n${a}x\n\n---\n[^1]: note\n`, ["8 footnotes"]],
    [
      "a header that is not closed",
      "---\ntopic: x\n💬: q",
      ["1 unclosed-header", "1 text-before-question"],
    ],
    ["text above the first question", "\nhello\n💬: q", ["2 text-before-question"]],
    ["markers of an answer in a question", `💬: q\n${callLine("1")}\n🛠️: x\n❓: y`, []],
  ])("are listed for %s", (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
    for (const problem of parseTranscript(text).problems) {
      expect(problem.level).toBe(problemLevels[problem.code as keyof typeof problemLevels]);
      expect(problem.message).toMatch(/[.]$/);
    }
  });
});

describe("a marker in an open fence", () => {
  it("is reported once, at the line where the fence opens", () => {
    const text = "💬: q\n🤖:\n```\n❓: what\n🤖: a\n💬: b\n```\n";
    expect(problems(text)).toEqual([
      "3 marker-in-fence",
      "4 look-alike",
      "5 second-answer",
      "7 unclosed-fence",
    ]);
  });

  it("in an answer can be fixed by closing the fence, or by escaping the marker", () => {
    const text = "💬: q\n🤖:\n```js\ncode\n\n💬: b";
    expect(fixed(text, 0)).toBe("💬: q\n🤖:\n```js\ncode\n```\n\n💬: b");
    expect(fixed(text, 1)).toBe("💬: q\n🤖:\n```js\ncode\n\n\\💬: b");
    expect(problems(fixed(text, 0))).toEqual([]);
  });

  it("in a question can be fixed by escaping the marker, or by closing the fence", () => {
    const text = "💬: look\n````\n🤖: pasted\n````\n";
    expect(fixed(text, 0)).toBe("💬: look\n````\n\\🤖: pasted\n````");
    expect(outline(fixed(text, 0))).toEqual([{ question: "look\n````\n🤖: pasted\n````" }]);
    expect(fixed(text, 1)).toBe("💬: look\n````\n````\n🤖: pasted\n````");
  });

  it("is not reported when the fence is closed, indented too far, or a code span", () => {
    const fences = ["```\nx\n```", "~~~ a`b\n```\n~~~", "    ```", "```a``` b", "````\n```\n`````"];
    for (const fence of fences) expect(problems(`💬: q\n${fence}\n🤖: x`)).toEqual([]);
  });
});

describe("fixes", () => {
  it.each([
    ["a broken call becomes text", "🤖:\n❓: `{`", "🤖:\n\\❓: `{`"],
    ["a look-alike becomes text", "🤖:\n❓: what", "🤖:\n\\❓: what"],
    ["a second answer line is removed", "🤖:\na\n🤖:[B]\nb", "🤖:\na\nb"],
    ["a malformed comment is removed", "🤖:\n<!-- parley:x -->\nb", "🤖:\nb"],
    ["a fence is closed below its last line", "💬:\n ```\nx\n\n", "💬:\n ```\nx\n ```\n"],
  ])("%s", (_, text, expected) => {
    expect(fixed(text, 0)).toBe(expected);
    expect(problems(fixed(text, 0))).toEqual([]);
  });
});
