import { serialize } from "node:v8";
import { describe, expect, it } from "vitest";
import { brief, build, call, called, result } from "../sent.ts";

describe("the messages of a request", () => {
  it("match the second example in section 12 of the format", () => {
    const text = `💬: can you find the latest stock price of google and microsoft?

🤖:[Claude-Sonnet]

Sure, I need to search the web.

${call("call_1", "[ya]")}
${result("call_1", '{"matches":[{"title":"GOOGL"}]}')}
${call("call_2", "[ya]")}
${result("call_2", '{"matches":[{"title":"MSFT"}]}')}
GOOGL is at $911 and MSFT at $544 as of today.

💬: thanks`;
    expect(brief(text)).toEqual([
      "user: can you find the latest stock price of google and microsoft?",
      `assistant: Sure, I need to search the web. | ${called("call_1")} | ${called("call_2")}`,
      'tool: call_1 {"matches":[{"title":"GOOGL"}]} | call_2 {"matches":[{"title":"MSFT"}]}',
      "assistant: GOOGL is at $911 and MSFT at $544 as of today.",
      "user: thanks",
    ]);
  });

  it("contain nothing from below the exchange", () => {
    const text = "💬: one\n\n🤖:\n\nfirst\n\n💬: two\n\n🤖:\n\nsecond\n\n💬: three";
    expect(brief(text, {}, 1)).toEqual([
      "user: one",
      "assistant: first",
      "user: two",
      "assistant: second",
    ]);
    expect(brief(text, { steps: 0 }, 1)).toEqual(["user: one", "assistant: first", "user: two"]);
  });

  it("take one byte per letter for a question in memory", () => {
    const text = "what is this? ".repeat(20).trim();
    const [asked] = build(`💬: ${text}`).messages;
    const one = [{ type: "text", text }];
    expect(serialize(asked)).toHaveLength(serialize({ role: "user", content: one }).length);
  });

  it("keep the summary of a full answer, but no thoughts", () => {
    const text =
      "💬: one\n\n🤖:\n\n🧠: hm\n\nbefore\n\n🧠: again\n\nafter\n📝: all of it\n\n💬: two";
    expect(brief(text)).toEqual([
      "user: one",
      "assistant: before\n\nafter\n📝: all of it",
      "user: two",
    ]);
  });

  it("contain escaped lines without the escape", () => {
    const text = "💬: one\n\\🤖: no\n\n🤖:\n\n\\💬: not a turn\n\n💬: two";
    expect(brief(text)).toEqual(["user: one\n🤖: no", "assistant: 💬: not a turn", "user: two"]);
  });

  it("answer each call without a result according to its decision", () => {
    const marks = ["", "[yn]", "[yN]", "[ya]", "[yO]", "[auto]"];
    const calls = marks.map((mark, index) => call(`c${index}`, mark)).join("\n");
    const [, assistant, tool] = brief(`💬: q\n\n🤖:\n\n${calls}\n\n💬: go on`);
    const interrupted = "interrupted: it is not known whether this ran";
    expect(assistant).toContain(called("c5"));
    expect(tool).toBe(
      `tool: ${[
        "c0! not executed",
        "c1! declined by the user",
        "c2! declined by the user",
        `c3! ${interrupted}`,
        `c4! ${interrupted}`,
        `c5! ${interrupted}`,
      ].join(" | ")}`,
    );
  });

  it("mark failed results as errors, and replace an empty result with a text", () => {
    const steps = [" (error)", " (declined)", " (cancelled)", " (timeout)", ""].map(
      (status, index) =>
        `${call(`c${index}`, "[ya]")}\n\n🛠️: [web_search][c${index}]${status}\n\n\`\`\`\n\`\`\`\n`,
    );
    const tool = brief(`💬: q\n\n🤖:\n\n${steps.join("\n")}\n\n💬: go on`)[2];
    expect(tool).toBe(
      "tool: c0! (no output) | c1! declined by the user | c2! (no output) | c3! (no output) | c4 (no output)",
    );
  });

  it("wrap arguments that are not an object in an object", () => {
    const text = (args: string) =>
      `💬: q\n\n🤖:\n\n${call("c", "[ya]", args)}\n${result("c", "r")}`;
    const sent = (args: string) => brief(text(args))[1];
    expect(sent('{"a":')).toBe('assistant: c web_search({"raw":"{\\"a\\":"})');
    expect(sent("[1]")).toBe('assistant: c web_search({"raw":"[1]"})');
    expect(sent("")).toBe('assistant: c web_search({"raw":""})');
    expect(sent('{ "a": 1 }')).toBe('assistant: c web_search({ "a": 1 })');
  });

  it("replace unpaired surrogates", () => {
    const escaped = String.raw`{"a":"\ud83d \\ud83d \ud83d\ude00"}`;
    const text = `💬: half \ud83d\n\n🤖:\n\n${call("c", "[ya]", escaped)}\n${result("c", "x\udc00")}`;
    const [user, assistant, tool] = brief(text);
    expect(user).toBe("user: half \ufffd");
    expect(tool).toBe("tool: c x\ufffd");
    const json = assistant?.slice("assistant: c web_search(".length, -1) ?? "";
    expect(JSON.parse(json)).toEqual({ a: "\ufffd \\ud83d 😀" });
  });

  it("leave out broken calls and orphaned results", () => {
    const text = `💬: q\n\n🤖:\n\nsome text\n\n❓: \`{"id":\`\n${call("c", "[ya]")}\n${result("c", "r")}\n🛠️: [web_search][nobody]\n\n\`x\`\n\n💬: two`;
    expect(brief(text)).toEqual([
      "user: q",
      `assistant: some text | ${called("c")}`,
      "tool: c r",
      "user: two",
    ]);
  });

  it("keep the ids of calls, even when two are equal", () => {
    const step = `${call("call_1", "[ya]")}\n${result("call_1", "r")}`;
    const text = `💬: q\n\n🤖:\n\none\n\n${step}\ntwo\n\n${step}\nthree\n\n💬: q2\n\n🤖:\n\n${step}`;
    const sent = brief(text);
    expect(sent.filter((line) => line.startsWith("tool"))).toEqual([
      "tool: call_1 r",
      "tool: call_1 r",
      "tool: call_1 r",
    ]);
  });

  it("contain calls and results of the Lua Parley, and treat a missing result as interrupted", () => {
    const pair = (id: string) => `🔧: read_file id=${id}\n\`\`\`json\n{"path":"a"}\n\`\`\`\n`;
    const text = `💬: q\n\n🤖:\n\nLet me see.\n\n${pair("t1")}\n📎: read_file id=t1 error=true\n\`\`\`\nno\n\`\`\`\n\n${pair("t2")}\n💬: two`;
    expect(brief(text)).toEqual([
      "user: q",
      expect.stringMatching(/^assistant: Let me see\. \| t1 read_file\(\{"path":"a"\}\)$/),
      "tool: t1! no",
      'assistant: t2 read_file({"path":"a"})',
      "tool: t2! interrupted: it is not known whether this ran",
      "user: two",
    ]);
  });

  it("begin with a user message even when the chat begins with an answer", () => {
    const sent = brief("🤖:\n\nhello\n\n💬: q");
    expect(sent).toHaveLength(3);
    expect(sent[0]).toMatch(/^user: \(/);
  });

  it("leave out private parts and branch links", () => {
    const text = "💬: see [🌿:this](b.md)\n🔒: secret\nmore\n\n🤖:\n\nfine\n\n💬: two";
    expect(brief(text)).toEqual(["user: see this", "assistant: fine", "user: two"]);
  });
});

describe("an unfinished step", () => {
  const mark = (reason: string) => `<!-- parley:unfinished ${reason} -->`;
  const step = `first\n\n${call("c", "[ya]")}\n${result("c", "r")}`;

  it("is left out when it is about to be retried", () => {
    const text = `💬: q\n\n🤖:\n\n${step}\nhalf of a sen\n\n${mark("stopped")}\n`;
    expect(brief(text)).toEqual(["user: q", `assistant: first | ${called("c")}`, "tool: c r"]);
    expect(brief(`💬: q\n\n🤖:\n\nhalf\n\n${mark("error")}`)).toEqual(["user: q"]);
  });

  it("is sent as it is when the user asks another question", () => {
    const text = `💬: q\n\n🤖:\n\n${step}\nhalf of a sen\n\n${mark("stopped")}\n\nnot mine\n\n💬: two`;
    expect(brief(text)).toEqual([
      "user: q",
      `assistant: first | ${called("c")}`,
      "tool: c r",
      "assistant: half of a sen",
      "user: two",
    ]);
  });

  it("does not include a complete last step that is retried", () => {
    const text = `💬: q\n\n🤖:\n\n${step}\nfinal`;
    expect(brief(text, { steps: 1 })).toEqual([
      "user: q",
      `assistant: first | ${called("c")}`,
      "tool: c r",
    ]);
  });
});

describe("memory", () => {
  const exchange = (number: number, summary = true) =>
    `💬: question ${number}\n![i](x.png)\n\n🤖:\n\nanswer ${number}\n\n${call(`c${number}`, "[ya]")}\n${result(`c${number}`, "r")}\ndone ${number}\n${summary ? `📝: first\n📝: sum ${number}\n` : ""}\n`;

  it("sends old exchanges as their question and their last summary", () => {
    const text = `${[1, 2, 3].map((number) => exchange(number)).join("")}💬: now`;
    const sent = brief(text, { maxFullExchanges: 2 });
    expect(sent.slice(0, 3)).toEqual([
      "user: question 1\n![i](x.png)",
      "assistant: 📝: sum 1",
      "user: question 2\n![i](x.png)",
    ]);
    expect(sent).toContain(`assistant: answer 2 | ${called("c2")}`);
    expect(sent.at(-1)).toBe("user: now");
  });

  it("sends an old exchange without a summary in full", () => {
    const text = `${exchange(1, false)}${exchange(2)}💬: now`;
    const sent = brief(text, { maxFullExchanges: 0 });
    expect(sent).toContain("assistant: done 1");
    expect(sent).toContain("assistant: 📝: sum 2");
    expect(sent).not.toContain("assistant: done 2");
  });

  it("counts from the current exchange, not from the end of the chat", () => {
    const text = [1, 2, 3, 4].map((number) => exchange(number)).join("");
    expect(brief(text, { maxFullExchanges: 2, steps: 0 }, 2)).toContain(
      `assistant: answer 1 | ${called("c1")}`,
    );
  });
});
