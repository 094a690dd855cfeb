import { serialize } from "node:v8";
import { describe, expect, it } from "vitest";
import { applyEdits } from "../../src/transcript/edits/layout.ts";
import { parseLines, parseTranscript } from "../../src/transcript/parse.ts";
import { callLine, outline, problems, resultLines } from "./outline.ts";

const q = "💬: q\n";
const batch = `${callLine("1", "ya")}\n${resultLines("1")}\n`;

describe("parsing turns", () => {
  it.each([
    ["nothing", "", []],
    ["text without turns", "# Notes\n", []],
    ["a question", "💬: hi\nthere\n", [{ question: "hi\nthere" }]],
    ["an empty question", "💬: ", [{ question: "" }]],
    ["two questions", "💬: a\n💬: b", [{ question: "a" }, { question: "b" }]],
    ["an answer without a question", "🤖: hi", [{ question: "", steps: [["text hi"]] }]],
    ["an empty answer", "💬: a\n🤖:[M]\n", [{ question: "a", label: "M", steps: [] }]],
    ["a label and text", "🤖: [M x] hi", [{ question: "", label: "M x", steps: [["text hi"]] }]],
    [
      "a label with brackets",
      "🤖:[M[1m]] hi",
      [{ question: "", label: "M[1m]", steps: [["text hi"]] }],
    ],
    ["a label that is not closed", "🤖:[M", [{ question: "", steps: [["text [M"]] }]],
    ["U+FE0F after a marker", "💬\uFE0F: a", [{ question: "a" }]],
    [
      "CR LF and a BOM",
      "\uFEFF💬: a\r\nb\r\n🤖:\r\nc\r\n",
      [{ question: "a\nb", steps: [["text c"]] }],
    ],
    ["a marker not at column 0", " 💬: a", []],
    ["an escaped marker", `${q}\\💬: x\n\\\\🤖: y`, [{ question: "q\n💬: x\n\\🤖: y" }]],
    [
      "markers of answers in a question",
      `${q}❓: \`{}\`\n🛠️: [a][b]\n🧠: t\n📝: s\n<!-- parley:step {} -->`,
      [{ question: "q\n❓: `{}`\n🛠️: [a][b]\n🧠: t\n📝: s\n<!-- parley:step {} -->" }],
    ],
  ])("reads %s", (_, text, expected) => {
    expect(outline(text)).toEqual(expected);
  });

  it("merges repeated answer markers into one answer, with a problem", () => {
    const text = `${q}🤖:[A]\na\n🤖:[B] b\nc\n`;
    expect(outline(text)).toEqual([
      { question: "q", label: "A", steps: [["text a", "text b\nc"]] },
    ]);
    expect(problems(text)).toEqual(["4 second-answer"]);
  });

  it("keeps a call line as it is in the file, and ignores a carriage return after its JSON", () => {
    const text = `🤖:\r\n${callLine("1")}\r\n`;
    const block = parseTranscript(text).exchanges[0]?.answer?.steps[0]?.calls[0];
    expect(block).toMatchObject({ lineText: `${callLine("1")}\r`, broken: null });
  });

  it("keeps the lines as they are in the file", () => {
    expect(parseTranscript("\uFEFF💬: a\r\nb\n").lines).toEqual(["\uFEFF💬: a\r", "b"]);
    expect(parseTranscript("").lines).toEqual([""]);
    expect(parseTranscript("a\n\n").lines).toEqual(["a", ""]);
  });
});

describe("parsing thoughts and summaries", () => {
  const answer = (text: string) => outline(`🤖:\n${text}`)[0];
  it.each([
    ["one paragraph", "🧠: a\nb\n\nc", { steps: [["thought a\nb", "text c"]] }],
    [
      "paragraphs to the end mark",
      "🧠: a\n\nb\n🧠:[END]\nc",
      { steps: [["thought a\n\nb", "text c"]] },
    ],
    [
      "a marker before the end mark",
      "🧠: a\n\nb\n📝: s\n🧠:[END]",
      {
        steps: [["thought a", "text b\n📝: s"]],
        summary: "s",
      },
    ],
    ["two in a row", "🧠: a\n🧠: b\n", { steps: [["thought a", "thought b"]] }],
    ["an end mark alone", "a\n🧠: [END]\nb", { steps: [["text a", "text b"]] }],
    [
      "an escaped marker inside",
      "🧠: a\n\\💬: b\n\nc",
      { steps: [["thought a\n💬: b", "text c"]] },
    ],
    [
      "the last summary",
      "a\n📝: one\nb\n📝: two\n",
      {
        steps: [["text a\n📝: one\nb\n📝: two"]],
        summary: "two",
      },
    ],
    ["an escaped summary as text", "\\📝: x", { steps: [["text 📝: x"]] }],
  ])("reads %s", (_, text, expected) => {
    expect(answer(text)).toEqual({ question: "", ...expected });
  });
});

describe("parsing steps", () => {
  const steps = (text: string) => outline(`${q}🤖:\n${text}`)[0]?.steps;
  const line = "<!-- parley:step {} -->\n";
  const tail = '<!-- parley:step {"tail":true} -->\n';

  it.each([
    ["text, two calls", `a\n${callLine("1")}\n${callLine("2")}`, [["text a", "call 1", "call 2"]]],
    [
      "a batch with results between its calls",
      `${batch}\n${callLine("2")}\n${resultLines("2")}`,
      [["call[ya] 1 → r", "call 2 → r"]],
    ],
    ["text below a completed batch", `a\n${batch}\nb`, [["text a", "call[ya] 1 → r"], ["text b"]]],
    [
      "a thought below a completed batch",
      `${batch}🧠: b\n\nc`,
      [["call[ya] 1 → r"], ["thought b", "text c"]],
    ],
    [
      "rounds",
      `a\n${batch}\nb\n${batch}\nc`,
      [["text a", "call[ya] 1 → r"], ["text b", "call[ya] 1 → r"], ["text c"]],
    ],
    [
      "a step line between batches that touch",
      `${batch}${line}${batch}`,
      [["call[ya] 1 → r"], ["step", "call[ya] 1 → r"]],
    ],
    [
      "text between calls in a step with a line",
      `${line}a\n${callLine("1")}\nb\n${callLine("2")}`,
      [["step", "text a", "call 1", "text b", "call 2"]],
    ],
    [
      "text after the last call, with tail",
      `${tail}${batch}b`,
      [["step", "call[ya] 1 → r", "text b"]],
    ],
    ["text after the last call, without tail", `${line}${batch}b`, [["step", "call[ya] 1 → r"]]],
    ["text after a call without a result", `${callLine("1")}\nb`, [["call 1"]]],
    [
      "text between calls without results",
      `${callLine("1")}\nb\n${callLine("2")}`,
      [["call 1", "call 2"]],
    ],
    ["an empty step line", line, [["step"]]],
  ])("reads %s", (_, text, expected) => {
    expect(steps(text)).toEqual(expected);
  });

  it.each([
    ["below an undecided call", `a\n${callLine("1")}\n\nmine\nmore\n\n`, "mine\nmore"],
    ["below a step with a line", `${line}a\n${batch}\nmine`, "mine"],
    ["below the mark", "a\n<!-- parley:unfinished open -->\nmine", "mine"],
    ["a thought below an undecided call", `${callLine("1")}\n🧠: mine`, "🧠: mine"],
  ])("keeps text outside the steps: %s", (_, text, aside) => {
    expect(outline(`${q}🤖:\n${text}`)[0]).toMatchObject({ aside });
  });

  it("puts the tip below the last result and above text that belongs to no step", () => {
    const answer = (text: string) => parseTranscript(`🤖:\n${text}`).exchanges[0]?.answer;
    expect(answer(`${batch}\n`)?.tip).toBe(5);
    expect(answer("a\n\n")?.tip).toBe(2);
    expect(answer("")?.tip).toBe(1);
    expect(answer(`${callLine("1")}\nmine`)?.tip).toBe(2);
    expect(answer(`${line}${callLine("1")}\n${resultLines("1")}\n\nmine`)?.tip).toBe(6);
    expect(answer("a\n\n<!-- parley:unfinished length -->\nmine")?.tip).toBe(3);
  });
});

describe("unfinished answers", () => {
  const mark = (reason: string) => `<!-- parley:unfinished ${reason} -->\n`;
  const answer = (text: string) => outline(`🤖:\n${text}`)[0];

  it.each([
    ["a new step of an empty answer", mark("open"), { steps: [[]], unfinished: "open" }],
    ["the text above", `a\n${mark("stopped")}`, { steps: [["text a"]], unfinished: "stopped" }],
    [
      "a new step below a batch",
      `a\n${batch}\n${mark("open")}`,
      {
        steps: [["text a", "call[ya] 1 → r"], []],
        unfinished: "open",
      },
    ],
    [
      "the text below a batch",
      `${batch}\nb\n${mark("length")}`,
      {
        steps: [["call[ya] 1 → r"], ["text b"]],
        unfinished: "length",
      },
    ],
    [
      "the step below its step line",
      `a\n<!-- parley:step {} -->\n${mark("error")}`,
      {
        steps: [["text a"], ["step"]],
        unfinished: "error",
      },
    ],
    [
      "a batch that is not complete",
      `${callLine("1")}\n${mark("empty")}`,
      {
        steps: [["call 1"]],
        unfinished: "empty",
      },
    ],
  ])("have %s as their unfinished step", (_, text, expected) => {
    expect(answer(text)).toEqual({ question: "", ...expected });
  });

  it("have nothing below the mark in any step", () => {
    const text = `🤖:\na\n${mark("open")}mine\n${callLine("1", "ya")}\n${resultLines("1")}\n`;
    expect(outline(text)[0]).toMatchObject({ steps: [["text a"]], unfinished: "open" });
    expect(problems(text)).toEqual(["5 below-mark", "6 below-mark"]);
  });

  it("use only the last mark and report the others", () => {
    const text = `🤖:\na\n${mark("stopped")}b\n${mark("open")}`;
    expect(outline(text)).toEqual([
      { question: "", steps: [["text a", "text b"]], unfinished: "open" },
    ]);
    expect(problems(text)).toEqual(["3 stale-mark"]);
  });
});

describe("results", () => {
  const found = (text: string) => outline(`🤖:\n${text}`)[0]?.steps;

  it.each([
    [
      "to the call directly above",
      `${callLine("1")}\n${callLine("2")}\n${resultLines("2")}`,
      [["call 1", "call 2 → r"]],
    ],
    [
      "to the call directly above when two calls have one id",
      `${callLine("1")}\n${callLine("1")}\n${resultLines("1")}`,
      [["call 1", "call 1 → r"]],
    ],
    [
      "to the first of two calls with one id otherwise",
      `${callLine("1")}\n${callLine("1")}\n${callLine("2")}\n${resultLines("1")}`,
      [["call 1 → r", "call 1", "call 2"]],
    ],
    [
      "by id when they are out of order",
      `${callLine("1")}\n${callLine("2")}\n${resultLines("2", "b")}\n${resultLines("1", "a")}`,
      [["call 1 → a", "call 2 → b"]],
    ],
    [
      "to a call above the user's text",
      `${callLine("1")}\nmine\n${resultLines("1")}`,
      [["call 1 → r"]],
    ],
  ])("are assigned %s", (_, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it("are assigned to a call whose id had to be encoded", () => {
    expect(found(`${callLine("a b]\u{1F600}")}\n🛠️: [t][a%20b%5D%F0%9F%98%80]\n\n\`r\``)).toEqual([
      ["call a b]\u{1F600} → r"],
    ]);
  });

  it("are assigned to a call that is broken by a repeated key in its arguments", () => {
    const text = `${callLine("1", "", '{"a":1,"a":2}')}\n🛠️: [t][1] (error)\n\n\`no\``;
    expect(found(text)).toEqual([["call broken → (error) no"]]);
  });
});

const conflict = "<<<<<<< HEAD\nmine\n||||||| base\nold\n=======\ntheirs\n>>>>>>> other\n";
const codes = (text: string) =>
  parseTranscript(text).problems.map(({ code, line }) => `${line} ${code}`);

describe("git conflicts", () => {
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
  ])("are reported only when complete and outside a fence: %s", (_, text, expected) => {
    expect(codes(text).filter((code) => code.includes("git"))).toEqual(expected);
  });

  it("offer fixes that keep one side, or all lines in a fence", () => {
    const { lines, problems } = parseTranscript(`💬: q\n${conflict}end\n`);
    const fixes = problems[0]?.fixes ?? [];
    const kept = fixes.map(({ title, edits }) => [title, applyEdits(lines, edits)]);
    expect(kept).toEqual([
      ["Keep the upper side (HEAD)", ["💬: q", "mine", "end"]],
      ["Keep the lower side (other)", ["💬: q", "theirs", "end"]],
      [
        "Keep all lines as text, in a fence",
        ["💬: q", "```", ...conflict.trimEnd().split("\n"), "```", "end"],
      ],
    ]);
    const asText = applyEdits(lines, fixes.at(-1)?.edits ?? []);
    expect(codes(asText.join("\n"))).toEqual([]);
  });

  it.each([
    ["in the header", `---\n${conflict}---\n\n💬: q\n`],
    ["over two exchanges", "💬: q\n<<<<<<< a\n💬: a\n=======\n💬: b\n>>>>>>> b\n"],
  ])("cannot be kept as text %s", (_, text) => {
    const { problems } = parseTranscript(text);
    expect(problems.find(({ code }) => code === "git-conflict")?.fixes).toHaveLength(2);
  });

  it("are reported once when a transcript is parsed again", () => {
    const before = parseTranscript(`💬: q\n${conflict}\n🤖:\nx\n\n💬: two\n\n🤖:\ny\n\n💬: `);
    const after = parseLines([...before.lines, "more"], before);
    expect(after.problems).toEqual(parseLines([...before.lines, "more"]).problems);
  });
});

describe("the memory of a long chat", () => {
  const { exchanges } = parseTranscript("💬: one\n\n🤖:\n\nfirst\n\n💬: two\n\n🤖:\n\nsecond\n");
  const [first, second] = exchanges;

  it("is shared between exchanges for references, calls and records that are empty", () => {
    expect(first?.question.references).toBe(second?.question.references);
    expect(first?.answer?.steps[0]?.calls).toBe(second?.answer?.steps[0]?.calls);
    expect(first?.answer?.steps[0]?.record).toBe(second?.answer?.steps[0]?.record);
  });

  it("is shared between the range of a step and of its only text", () => {
    const [step] = first?.answer?.steps ?? [];
    const [text] = step?.blocks ?? [];
    expect(text?.kind === "text" && text.range).toBe(step?.range);
  });

  it("is one byte per letter for a question of several lines", () => {
    const many = parseTranscript(`💬: ${"what is this? ".repeat(20)}\n${"or that? ".repeat(20)}\n`);
    const text = many.exchanges[0]?.question.text ?? "";
    expect(serialize(text)).toHaveLength(serialize(Buffer.from(text).toString()).length);
  });
});
