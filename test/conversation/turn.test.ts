import { describe, expect, it } from "vitest";
import { approve, respond } from "../../src/conversation/actions.ts";
import { openMemoryChat } from "./memory-chat.ts";

const question = "💬: find it\n";
const call = { id: "call_1", name: "search", arguments: '{"q":"it"}' };

describe("a turn", () => {
  it("runs nothing when it is stopped while the tools are listed", async () => {
    const memory = openMemoryChat(question, [{ text: "Let me see.", calls: [call] }], {
      offered: async () => {
        memory.chat.stop();
        return new Map();
      },
    });
    expect(await respond(memory.chat, 0)).toMatchObject({ type: "await-approval" });
    expect(await approve(memory.chat, () => true)).toEqual({ type: "stopped" });
    expect(memory.runs).toEqual([]);
    expect(memory.editor.lines.join("\n")).toMatch(/^❓:\[auto\] `/m);
    expect(memory.editor.lines.join("\n")).not.toContain("🛠️:");
  });

  it("writes the file before a tool runs", async () => {
    const atStart: string[] = [];
    const memory = openMemoryChat(question, [{ calls: [call] }, { text: "Done." }], {
      runTool: async () => {
        atStart.push(memory.editor.saves.at(-1)?.join("\n") ?? "");
        return { status: "ok", text: "x", media: [] };
      },
    });
    await respond(memory.chat, 0);
    expect(await approve(memory.chat, () => true)).toEqual({ type: "done" });
    expect(atStart).toEqual([expect.stringMatching(/^❓:\[auto\] `/m)]);
    expect(memory.editor.saves.at(-1)).toEqual(memory.editor.lines);
  });
});
