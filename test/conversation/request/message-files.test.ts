import { describe, expect, it } from "vitest";
import { brief, build, call, result } from "../sent.ts";

describe("references", () => {
  const stepLine = (record: object) =>
    `<!-- parley:step ${JSON.stringify({ model: "mock/demo", files: record })} -->`;

  it("are sent with the question, from the copies that the answer records", () => {
    const text = `💬: what does @@./a.ts@@ do, and\n![pic](p.png)\nthis?\n\n🤖:\n\n${stepLine({
      "@@./a.ts@@": "a.txt",
      "p.png": "p.png",
    })}\n\nIt counts.\n\n💬: thanks`;
    expect(brief(text)).toEqual([
      "user: File: ./a.ts\n\n```\nconst a = 1;\n``` | what does @@./a.ts@@ do, and | <image/png> | this?",
      "assistant: It counts.",
      "user: thanks",
    ]);
    expect(build(text).notices).toEqual([]);
  });

  it("are the same in the first request, before a step line records the copies", () => {
    const question = "💬: see @@./a.ts@@\n\n";
    const copies = { "@@./a.ts@@": "fence.txt" };
    const first = build(question, { copies });
    const second = build(
      `${question}🤖:\n\n${stepLine(copies)}\n\n${call("c", "[ya]")}\n${result("c", "r")}`,
    );
    expect(first.messages).toEqual(second.messages.slice(0, 1));
    expect(JSON.stringify(first.messages)).toContain("````");
  });

  it("to a resource include its images, as long as the exchange is sent in full", () => {
    const files = { "@docs:x:all": "a.txt", "@docs:x:all 1": "p.png", "@docs:x:all 2": "p.png" };
    const text = `💬: see @docs:x:all\n\n🤖:\n\n${stepLine(files)}\n\n📝: seen\n\nIt counts.\n\n💬: thanks`;
    const resource = "Resource: docs:x:all\n\n```\nconst a = 1;\n```";
    expect(brief(text)[0]).toBe(`user: ${resource} | <image/png> | <image/png> | see @docs:x:all`);
    expect(build(text).notices).toEqual([]);
    const old = build(text, { maxFullExchanges: 0 });
    expect(JSON.stringify(old.messages)).not.toContain("image/png");
  });

  it("without a copy, or whose copy is gone, are sent as written and reported", () => {
    const text = `💬: @@/etc/hosts@@\n![x](p.png)\n\n🤖:\n\n${stepLine({ "p.png": "gone.png" })}\n\nfine\n\n💬: two`;
    const { messages, notices } = build(text);
    expect(messages[0]).toEqual({
      role: "user",
      content: [{ type: "text", text: "@@/etc/hosts@@\n![x](p.png)" }],
    });
    expect(notices).toEqual([
      expect.stringContaining("@@/etc/hosts@@ was not read"),
      expect.stringContaining("gone.png"),
    ]);
  });

  it("that could not be read for this request are not reported again", () => {
    const { messages, notices } = build("💬: see @@./none@@ and @@./a.ts@@", {
      copies: { "@@./a.ts@@": "gone.txt" },
    });
    expect(messages).toHaveLength(1);
    expect(notices).toEqual([expect.stringContaining("gone.txt")]);
  });

  it("named like a built-in property of objects are not found in the record", () => {
    const text = `💬: q\n![x](constructor)\n\n🤖:\n\n${stepLine({ other: "p.png" })}\n\nfine\n\n💬: two`;
    expect(build(text).notices).toEqual([expect.stringContaining("constructor was not read")]);
  });

  it("in a result are sent only when they are images that could be loaded", () => {
    const head = (attached: string) => `🛠️: [web_search][c] ${attached}`;
    const text = (attached: string, body = "`r`") =>
      `💬: q\n\n🤖:\n\n${call("c", "[ya]")}\n\n${head(attached)}\n\n${body}\n`;
    expect(brief(text("![image/png](p.png)"))[2]).toBe("tool: c r <image/png>");
    expect(brief(text("![image/png](p.png)", "```\n```"))[2]).toBe("tool: c <image/png>");
    expect(brief(text("![image/png](gone.png)"))[2]).toContain("r\n\n(An attachment is not sent.)");
    expect(brief(text("![audio/wav](a.wav)"))[2]).toContain("(An attachment is not sent.)");
    expect(build(text("![image/png](gone.png)")).notices).toEqual([
      expect.stringContaining("gone.png"),
    ]);
  });
});

describe("provider state", () => {
  const step = `hm\n\n${call("c", "[ya]")}\n${result("c", "r")}`;

  it("is sent only with the steps of the current exchange", () => {
    const text = `💬: one\n\n🤖:\n\n${step}\nfinal\n\n💬: two\n\n🤖:\n\n${step}`;
    const { messages } = build(text, { openState: ({ calls }) => calls[0]?.call?.id });
    const states = messages.map((message) => (message.role === "assistant" ? message.state : "-"));
    expect(states).toEqual(["-", undefined, "-", undefined, "-", "c", "-"]);
  });

  it("is sent once when the user copied its step", () => {
    const line = '<!-- parley:step {"model":"a/b","state":"c2VhbGVk"} -->';
    const text = `💬: one\n\n🤖:\n\n${line}\n\n${step}\n${line}\n\n${step}`;
    const { messages } = build(text, { openState: ({ record }) => record.state });
    const states = messages.map((message) => (message.role === "assistant" ? message.state : "-"));
    expect(states).toEqual(["-", "c2VhbGVk", "-", undefined, "-"]);
  });
});
