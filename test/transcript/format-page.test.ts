/** The examples on the pages are read from the pages themselves, and mean what the pages say. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { nextStep } from "../../src/conversation/decide/next-step.ts";
import { emptySession } from "../../src/conversation/decide/session.ts";
import { toOpenAIRequest } from "../../src/providers/openai-chat/openai-request.ts";
import { parseComment } from "../../src/transcript/comments.ts";
import { unescapeLine } from "../../src/transcript/markers.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import { parseResult } from "../../src/transcript/result-block.ts";
import { build } from "../conversation/sent.ts";
import { requestTo } from "../providers/parts.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const page = read("doc/format.md");

/** The indented blocks of a section, without their indent. */
function examples(section: number): readonly string[] {
  const chapter = page.split(/^## /m).find((text) => text.startsWith(`${section}. `)) ?? "";
  const found = chapter.match(/(?:^ {4}\S.*\n(?:\n(?= {4}\S))*)+/gm) ?? [];
  return found.map((text) => text.replaceAll(/^ {4}/gm, ""));
}

/** The only example of a section that begins with this text. */
function example(section: number, beginning: string): string {
  const found = examples(section).filter((text) => text.startsWith(beginning));
  if (found.length !== 1) throw new Error(`Section ${section} has ${found.length} such examples.`);
  return found[0] ?? "";
}

const answerOf = (lines: string) => `💬: a question\n\n🤖:[label]\n\n${lines}`;

describe("the examples in doc/format.md", () => {
  it("show a call of section 4 that is approved and readable", () => {
    const { exchanges, problems } = parseTranscript(answerOf(example(4, "❓:")));
    expect(problems).toEqual([]);
    expect(exchanges[0]?.answer?.steps.flatMap(({ calls }) => calls)).toMatchObject([
      {
        decision: "ya",
        broken: null,
        call: { id: "call_1", name: "web_search", arguments: '{"query":"google stock price"}' },
      },
    ]);
  });

  it("show a result of section 5 with its name, id and text", () => {
    const lines = example(5, "🛠️:").trimEnd().split("\n");
    const { block, ...found } = parseResult(lines, 0) ?? {};
    expect(found).toEqual({ malformed: null, openFence: null, bare: null });
    expect(block).toMatchObject({
      name: "web_search",
      callId: "call_1",
      status: "ok",
      text: lines[2]?.slice(1, -1),
    });
  });

  it("show a step line and an unfinished mark in section 6", () => {
    expect(examples(6).map((text) => parseComment(text.trimEnd()))).toMatchObject([
      { kind: "step", record: { model: "anthropic/…" } },
      { kind: "unfinished", reason: "open" },
    ]);
  });

  it("show an escaped line in section 2", () => {
    const [, escaped = ""] = /structure is written .*: `(.*)`\./.exec(page) ?? [];
    expect(escaped).toMatch(/^\\/);
    expect(unescapeLine(escaped)).toBe(escaped.slice(1));
    const { exchanges } = parseTranscript(`💬: a question\n${escaped}\n`);
    expect(exchanges.map(({ question }) => question.text)).toEqual([
      `a question\n${escaped.slice(1)}`,
    ]);
  });

  it("keep a header value literally that is not valid YAML, as section 3 says", () => {
    const [, line = ""] = /taken literally \(`(.*?)`\)/.exec(page) ?? [];
    const { header, problems } = parseTranscript(`---\n${line}\n---\n\n💬: a question\n`);
    const [key, value] = line.split(/: (.*)/s);
    expect(header.entries).toMatchObject([{ key, value }]);
    expect(problems).toEqual([]);
  });
});

describe("the two transcripts of section 12 in doc/format.md", () => {
  const [waiting = "", continued = ""] = examples(12);

  it("are the only ones, and have no problems", () => {
    expect(examples(12)).toHaveLength(2);
    expect([waiting, continued].map((text) => parseTranscript(text).problems)).toEqual([[], []]);
  });

  it("wait for a decision about both calls of the first", () => {
    const transcript = parseTranscript(waiting);
    const [exchange] = transcript.exchanges;
    expect(exchange && nextStep(transcript, exchange, emptySession)).toMatchObject({
      type: "await-approval",
      open: [
        { reason: "undecided", call: { call: { id: "call_1" } } },
        { reason: "undecided", call: { call: { id: "call_2" } } },
      ],
    });
  });

  it("send the second as the page lists it, and name no tool in a tool message", () => {
    const { messages } = build(`${continued.trimEnd()} and apple?`);
    const request = toOpenAIRequest(requestTo("openai", "gpt-4o", messages));
    const sent = request.messages.filter(({ role }) => !["system", "developer"].includes(role));
    expect(sent).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "call_1" }, { id: "call_2" }] },
      { role: "tool", tool_call_id: "call_1" },
      { role: "tool", tool_call_id: "call_2" },
      { role: "assistant", content: expect.stringContaining("GOOGL is at $911") },
      { role: "user", content: "and apple?" },
    ]);
    expect(sent.filter((message) => message.role === "tool" && "name" in message)).toEqual([]);
  });
});

describe("the chat in README.md", () => {
  const [, chat = ""] = /^## A chat\n\n```markdown\n(.*?)^```$/ms.exec(read("README.md")) ?? [];

  it("has no problems, and a question, a call with its result, and a summary", () => {
    const { exchanges, problems } = parseTranscript(chat);
    expect(problems).toEqual([]);
    expect(exchanges.map(({ question }) => question.text)).toMatchObject([
      expect.stringContaining("a question"),
      "the next question",
    ]);
    const answer = exchanges[0]?.answer;
    const calls = answer?.steps.flatMap((step) => step.calls);
    expect(calls).toMatchObject([{ decision: "ya", result: { text: "the result" } }]);
    expect(answer?.summary).toMatch(/^a one-line summary/);
  });

  it("is sent as its question and its summary once it is old, as it says", () => {
    const { messages } = build(chat, { maxFullExchanges: 0 });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(messages[1])).toContain("a one-line summary");
    expect(JSON.stringify(messages)).not.toContain("the result");
  });
});
