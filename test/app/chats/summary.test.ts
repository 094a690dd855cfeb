import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { summariseChat } from "../../../src/app/chats/summary.ts";
import { openCalls } from "../../../src/conversation/decide/next-step.ts";
import { emptySession } from "../../../src/conversation/decide/session.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";

const call = (decision: string, id: string) =>
  `❓:${decision} \`{"id":"${id}","type":"function","function":{"name":"f","arguments":"{}"}}\``;
const chat = (...lines: string[]) =>
  ["---", "topic: Stocks", "model: openai/gpt-5", "tags: a, b", "---", "", ...lines].join("\n");

/** What the whole parse says of the same chat. */
function waitingByParser(text: string): number {
  const transcript = parseTranscript(text);
  const exchange = transcript.exchanges.findLast(({ answer }) => answer !== null);
  if (exchange === undefined) return 0;
  if (exchange.question.text.trim() === "") return 0;
  return openCalls(transcript, exchange, emptySession).length;
}

describe("a summary of a chat", () => {
  it("tells topic, model, tags and notes", () => {
    const text = chat("💬: hi", "", "🤖:[x]", "", "there", "📝: greeted", "", "💬: ");
    expect(summariseChat(text)).toEqual({
      ...{ topic: "Stocks", model: "openai/gpt-5", tags: ["a", "b"], questions: 2 },
      ...{ state: "answered", waiting: 0, notes: "greeted" },
    });
  });

  it("takes the first question for a topic that nobody wrote", () => {
    expect(summariseChat("---\ntopic: ?\n---\n\n💬:\n\n  what is it?\n").topic).toBe("what is it?");
    expect(summariseChat("💬: one\n🤖: two\n").topic).toBe("one");
    expect(summariseChat("").topic).toBe("");
    expect(summariseChat(`💬: ${"a".repeat(79)}😀\n`).topic).toBe("a".repeat(79));
  });

  it.each([
    ["an open call", chat("💬: q", "🤖:", "", call("", "1")), "waiting", 1],
    ["two open calls", chat("💬: q", "🤖:", "", call("", "1"), call("", "2")), "waiting", 2],
    ["a yes that never ran", chat("💬: q", "🤖:", "", call("[ya]", "1")), "waiting", 1],
    [
      "a broken answer",
      chat("💬: q", "🤖:", "", "so", "<!-- parley:unfinished error -->"),
      "unfinished",
      0,
    ],
    ["a question", chat("💬: q"), "asked", 0],
    ["a next question", chat("💬: q", "🤖:", "", "a", "", "💬: more"), "asked", 0],
    ["nothing", chat("💬: "), "empty", 0],
  ] as const)("says what waits: %s", (_, text, state, waiting) => {
    expect(summariseChat(text)).toMatchObject({ state, waiting });
  });

  const folder = new URL("../../oracle/fixtures/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
  it.each(names)("finds the waiting calls that the parser finds: %s", (name) => {
    const text = readFileSync(new URL(name, folder), "utf8");
    for (const variant of [text, text.replaceAll("\n", "\r\n"), `\uFEFF${text}`]) {
      expect(summariseChat(variant).waiting).toBe(waitingByParser(variant));
    }
  });
});
