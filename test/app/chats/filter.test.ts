import { describe, expect, it } from "vitest";
import type { ListedChat } from "../../../src/app/chats/chat-index.ts";
import { ageText, chatRow, filterChats } from "../../../src/app/chats/filter.ts";

const chat = (over: Partial<ListedChat>): ListedChat => ({
  ...{ path: "/chats/2026-01-01.md", modified: 0, size: 1, topic: "", model: "", tags: [] },
  ...{ questions: 1, state: "answered", waiting: 0, notes: "" },
  ...over,
});
const stocks = chat({ topic: "Stock prices", notes: "asked for gold" });
const gold = chat({ topic: "Gold", tags: ["money"], model: "openai/gpt-5" });
const named = chat({ path: "/chats/tree-sitter.md", topic: "Colours" });
const all = [stocks, gold, named];

describe("a typed text", () => {
  it.each([
    ["", all],
    ["   ", all],
    ["GOLD", [gold, stocks]],
    ["gold asked", [stocks]],
    ["gpt-5", [gold]],
    ["tree", [named]],
    ["#mon", [gold]],
    ["#gold", []],
    ["#oney", []],
    ["nothing", []],
  ])("%j means chats by every word of it", (query, expected) => {
    expect(filterChats(all, query)).toEqual(expected);
  });
});

describe("a row", () => {
  it("says what waits, and names a chat without a topic by its file", () => {
    const row = chatRow(
      chat({ state: "waiting", waiting: 2, model: "openai/gpt-5" }),
      7_200_000,
      null,
    );
    expect(row).toMatchObject({ sign: "❓2", topic: "2026-01-01", model: "gpt-5", age: "2 h" });
    expect(chatRow(chat({ state: "unfinished", topic: "T" }), 0, null)).toMatchObject({
      sign: "…",
    });
  });

  it("has its tags and its cost as far as they are known, and nothing that nobody sees", () => {
    const row = chatRow(chat({ topic: "a\u202eb\u0007", tags: ["x", "y"] }), 0, 0.0123);
    expect(row).toMatchObject({ tags: "x, y", cost: "$0.0123" });
    expect(row.topic).not.toContain("\u202e");
    expect(row.topic).not.toContain("\u0007");
    expect(chatRow(chat({}), 0, null).cost).toBe("");
  });

  it("tells the age in one unit", () => {
    const texts = [-5, 59e3, 60e3, 3600e3, 86_400e3, 40 * 86_400e3, 800 * 86_400e3].map(ageText);
    expect(texts).toEqual(["now", "now", "1 min", "1 h", "1 d", "1 mo", "2 y"]);
  });
});
