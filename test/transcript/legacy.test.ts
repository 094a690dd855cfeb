import { describe, expect, it } from "vitest";
import { parseLines, parseTranscript } from "../../src/transcript/parse.ts";
import { callLine, outline, problems } from "./outline.ts";

const call = '🔧: read_file id=toolu_1\n```json\n{"path":"a"}\n```\n';
const result = "📎: read_file id=toolu_1\n````\n💬: not a turn\n```\n````\n";

describe("files of the Lua Parley", () => {
  it("read a call and its result as a completed step, even with markers in the bodies", () => {
    const text = `💬: q\n🤖:[A]\nlook\n${call}${result}done\n`;
    expect(outline(text)).toEqual([
      {
        question: "q",
        label: "A",
        steps: [["text look", "call[ya] toolu_1 → 💬: not a turn\n```"], ["text done"]],
      },
    ]);
    expect(problems(text)).toEqual([]);
    const block = parseTranscript(text).exchanges[0]?.answer?.steps[0]?.calls[0];
    expect(block).toMatchObject({
      source: "legacy",
      line: 3,
      end: 12,
      call: { id: "toolu_1", name: "read_file", arguments: '{"path":"a"}' },
    });
  });

  it("make a step of each call with its result, and of a call without a result", () => {
    expect(outline(`🤖:\n${call}${result}${call}${result}`)[0]?.steps?.length).toBe(2);
    expect(outline(`🤖:\n${call}${call}text`)[0]?.steps).toEqual([
      ["call[ya] toolu_1"],
      ["call[ya] toolu_1"],
      ["text text"],
    ]);
    expect(outline(`🤖:\n${call}${callLine("1")}`)[0]?.steps?.length).toBe(2);
  });

  it("read error=true as the status of a result", () => {
    const text = `🤖:\n${call}📎: read_file id=toolu_1 error=true\n\`\`\`\nno\n\`\`\`\n`;
    expect(outline(text)[0]?.steps).toEqual([["call[ya] toolu_1 → (error) no"]]);
  });

  it.each([
    ["no id", "🔧: name\n```json\n{}\n```", ["2 look-alike"]],
    ["no body on the next line", "🔧: name id=1\n\n```json\n{}\n```", ["2 look-alike"]],
    [
      "a body that is not closed",
      "🔧: name id=1\n````json\n{}\n```",
      ["2 unclosed-legacy", "3 unclosed-fence"],
    ],
    ["an example in an old fence", "```\n🔧: example\n```", ["3 look-alike"]],
  ])("read a tool block with %s as text", (_, text, expected) => {
    expect(outline(`🤖:\n${text}`)[0]?.steps).toEqual([[`text ${text}`]]);
    expect(problems(`🤖:\n${text}`)).toEqual(expected);
  });

  it("parse a body again when a fence far below closes it", () => {
    const open = "💬: a\n🤖:\n🔧: name id=1\n```json\n{}\n💬: b\n💬: c\n💬: d";
    const before = parseTranscript(open);
    const after = parseTranscript(`${open}\n\`\`\``);
    expect([before, after].map(({ exchanges }) => exchanges.length)).toEqual([4, 1]);
    expect(parseLines(after.lines, before)).toEqual(after);
  });

  it.each([
    ["a result's head", "```", "📎: read_file id=toolu_1\n```"],
    ["a call's head", "~~~", "🔧: read_file id=toolu_1\n~~~"],
    [
      "a whole block",
      "````",
      `${call}${result.replaceAll("````", "```").replace("💬", "x")}\`\`\`\``,
    ],
  ])("read %s quoted in a fence as text, and keep the questions below", (_, fence, quoted) => {
    const text = `💬: q\n🤖:\nlike this:\n${fence}\n${quoted}\n\n💬: my question\n🤖:\n\`\`\`\na\n\`\`\`\n💬: last`;
    expect(outline(text).map(({ question }) => question)).toEqual(["q", "my question", "last"]);
    expect(outline(text)[0]?.steps).toEqual([[`text like this:\n${fence}\n${quoted}`]]);
    expect(new Set(problems(text).map((problem) => problem.split(" ")[1]))).toEqual(
      new Set(["look-alike"]),
    );
  });

  it("leave a line that asks for a key out of questions and answers, except in a fence", () => {
    const asks = ">> Please choose (yA/ya/yo/yO): ";
    const open = `💬: q\n🤖:\n${callLine("1")}\n\n${asks}\n`;
    expect(outline(open)[0]?.steps).toEqual([["call 1"]]);
    expect(parseTranscript(open).exchanges[0]?.answer?.aside).toBe(null);
    const below = `💬: q\n🤖:\na\n\n💬: \n${asks}\nnext`;
    expect(outline(below).map(({ question }) => question)).toEqual(["q", "next"]);
    const quoted = `💬: what is\n\`\`\`\n${asks}\n\`\`\``;
    expect(outline(quoted)[0]?.question).toContain(">> Please choose");
  });

  it("keep tool blocks in a question as text", () => {
    expect(outline(`💬: q\n${call}`)[0]?.question).toBe(`q\n${call}`.trim());
  });

  it("leave out branches and private lines, but no text after them", () => {
    const text =
      "🌿: parent.md: top\n💬: q\n🌿: a.md: x\nmore [🌿:this](b.md)\n🔒: secret\nsecret too\n" +
      "🤖:\na\n🌿: c.md: y\nb [🌿:that](d.md)\n🔒: hidden\n📝: hidden\n❓: `{`\n💬: next";
    expect(problems(text)).toEqual([]);
    expect(outline(text)).toEqual([
      { question: "q\nmore this", steps: [["text a", "text b that"]] },
      { question: "next" },
    ]);
  });

  it("end private lines at the next question or answer", () => {
    expect(outline("💬: q\n🔒: x\n🤖:\na\n🔒: y\n🤖: b")).toEqual([
      { question: "q", steps: [["text a", "text b"]] },
    ]);
  });

  it.each([
    ["at the very end", "a\n\n---\n\n[^x]: note\n  more\n[^y]: note\n", "a"],
    ["not without the rule", "a\n\n[^x]: note\n", "a\n\n[^x]: note"],
    ["not with text below", "a\n---\n[^x]: note\nb\n", "a\n---\n[^x]: note\nb"],
    ["not a rule alone", "a\n\n---\n", "a\n\n---"],
  ])("leave a footer out of the last exchange, %s", (_, written, answer) => {
    const header = "---\ntopic: x\nfile: x.md\n---\n\n";
    expect(outline(`${header}💬: q\n🤖:\n${written}`)[0]?.steps).toEqual([[`text ${answer}`]]);
    // Only the Lua Parley writes a footer, and the header of its chats has a file key.
    const whole = written.trim();
    expect(outline(`💬: q\n🤖:\n${written}`)[0]?.steps).toEqual([[`text ${whole}`]]);
    expect(outline(`💬: ${written}`)[0]?.question).toBe(whole);
  });
});

describe("references in a question", () => {
  const references = (text: string) =>
    parseTranscript(text).exchanges[0]?.question.references.map(
      ({ kind, source, line }) => `${line} ${kind} ${source}`,
    );

  it.each([
    ["💬: see @@./a.ts@@ and @@~/b c.md@@", ["0 file @@./a.ts@@", "0 file @@~/b c.md@@"]],
    [
      "💬: @@../x@@\n@@/y@@\n@@https://z@@",
      ["0 file @@../x@@", "1 file @@/y@@", "2 file @@https://z@@"],
    ],
    ["💬: mail me @@ home or @@x@@ @@./a@@", ["0 file @@./a@@"]],
    ["💬: @@./a", []],
    ["💬: look\n![a picture](img/a (1).png)", ["1 image img/a (1).png"]],
    ["💬: ![x](a.png)", ["0 image a.png"]],
    ["💬: inline ![x](a.png)", []],
    ["💬: \n![x]()", []],
    ["💬: q\n🔒: \n@@./secret@@", []],
  ])("are found in %j", (text, expected) => {
    expect(references(text)).toEqual(expected);
  });
});
