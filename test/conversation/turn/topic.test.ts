import { describe, expect, it } from "vitest";
import { approve, respond } from "../../../src/conversation/turn/actions.ts";
import { openMemoryChat } from "../memory-chat.ts";

const call = { id: "call_1", name: "search", arguments: '{"q":"it"}' };

describe("a chat with the topic “?”", () => {
  it.each([
    ["find it", "find it"],
    ["\n\n@@./a.ts@@\nwhat  does this do? ![x](y.png)", "what does this do?"],
    [`${"word ".repeat(30)}`, `${"word ".repeat(11)}word…`],
    // A cut between words would leave almost nothing.
    [`see ${"x".repeat(100)}`, `see ${"x".repeat(56)}…`],
    ["@@./a.ts@@", "?"],
    ["x\u0085y\u2028z", "x y z"],
  ])("gets the beginning of its question as topic: %j", async (text, topic) => {
    const memory = openMemoryChat(`---\ntopic: ?\n---\n\n💬: ${text}\n`, [{ text: "Done." }]);
    expect(await respond(memory.chat, 5)).toEqual({ type: "done" });
    expect(memory.editor.lines[1]).toBe(`topic: ${topic}`);
    expect(memory.editor.lines.join("\n")).toContain("Done.");
  });

  it.each([
    ["It is $911.\n\n📝: what GOOGL costs, $911", "what GOOGL costs, $911"],
    // The last of several is the summary, and an empty one does not count.
    ["📝: first\n\nMore.\n\n📝: second", "second"],
    ["Done.\n\n📝: …", "what now?"],
    [`Done.\n\n📝: "a: b" # c`, `"\\"a: b\\" # c"`],
    [`Done.\n\n📝: ${"word ".repeat(30)}`, `${"word ".repeat(11)}word…`],
    ["A.\n\n📝: you asked “why is gold dear?”, and I answered: it is rare", "why is gold dear?"],
    ["A.\n\n📝: You asked me for the price of gold; then I found $911.", "the price of gold"],
    [
      "A.\n\n📝: The user asked whether “gold” or “tin” rusts, and I said no.",
      "“gold” or “tin” rusts",
    ],
    ["A.\n\n📝: You asked how to melt it.", "how to melt it"],
    ["A.\n\n📝: You asked, and I said.", "You asked, and I said."],
    ["A.\n\n📝: you asked “”, and I told nothing", "you asked “”, and I told nothing"],
    ["A.\n\n📝: Du hast nach Gold gefragt.", "Du hast nach Gold gefragt."],
  ])("gets the summary of its answer as topic: %j", async (text, topic) => {
    const memory = openMemoryChat("---\ntopic: ?\n---\n\n💬: what now?\n", [{ text }]);
    expect(await respond(memory.chat, 5)).toEqual({ type: "done" });
    expect(memory.editor.lines[1]).toBe(`topic: ${topic}`);
    expect(memory.editor.lines.filter((line) => line.startsWith("topic:"))).toHaveLength(1);
    expect(memory.editor.lines.join("\n")).toContain(`\n${text.trim()}\n`);
  });

  it("gets its topic when the whole answer ends, without another request", async () => {
    const memory = openMemoryChat("---\ntopic: ?\ntools: mock\n---\n\n💬: find it\n", [
      { text: "I look.\n\n📝: not yet", calls: [call] },
      { text: "Found.\n\n📝: where it is" },
    ]);
    await respond(memory.chat, 5);
    expect(memory.editor.lines[1]).toBe("topic: ?");
    expect(await approve(memory.chat, () => true)).toEqual({ type: "done" });
    expect(memory.editor.lines[1]).toBe("topic: where it is");
    expect(memory.requests).toHaveLength(2);
  });

  it("keeps a topic that the user wrote", async () => {
    const memory = openMemoryChat("---\ntopic: mine\n---\n\n💬: hi\n", [{ text: "Done." }]);
    await respond(memory.chat, 5);
    expect(memory.editor.lines[1]).toBe("topic: mine");
  });
});
