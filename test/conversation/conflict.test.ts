/** Two programs on one file: a yes that could not be written is none. */

import { expect, it } from "vitest";
import { toolIdentity } from "../../src/conversation/decide/remembered.ts";
import { defaultKeys } from "../../src/conversation/keys.ts";
import { pressCallKey, respond } from "../../src/conversation/turn/actions.ts";
import { openMemoryChat, search } from "./memory-chat.ts";

const call = { id: "c1", name: "search", arguments: "{}" };

it("a yes whose file somebody else wrote meanwhile runs nothing, then and later", async () => {
  const { chat, editor, runs } = openMemoryChat("💬: look", [{ calls: [call] }]);
  expect(await respond(chat, 0)).toMatchObject({ type: "await-approval" });
  const line = editor.lines.findIndex((text) => text.startsWith("❓:"));
  const shown = [{ line, text: editor.lines[line] ?? "", tool: toolIdentity(search), effect: "" }];
  const save = editor.save.bind(editor);
  let saves = 0;
  // The other program writes between the look at the file and the save of the decision.
  editor.save = async () => (++saves > 1 ? "conflict" : "saved") as never;
  const pressed = { key: "yo", cursorLine: line, shown, reason: null, keys: defaultKeys } as const;
  expect(await pressCallKey(chat, pressed)).toEqual({ type: "conflict" });
  editor.save = save;
  expect(await respond(chat, 0)).toMatchObject({
    type: "await-approval",
    open: [{ reason: "interrupted" }],
  });
  expect(runs).toEqual([]);
});

it("a text that somebody else wrote is seen before anything is decided or asked", async () => {
  const { chat, editor, requests } = openMemoryChat("💬: look", [{ calls: [call] }]);
  const save = editor.save.bind(editor);
  for (const [found, end] of [
    ["conflict", { type: "conflict" }],
    ["reloaded", { type: "refused" }],
  ] as const) {
    editor.save = async () => found as never;
    expect(await respond(chat, 0)).toMatchObject(end);
    expect(requests).toHaveLength(0);
  }
  editor.save = save;
  await respond(chat, 0);
  const before = editor.lines;
  const line = before.findIndex((text) => text.startsWith("❓:"));
  const shown = [{ line, text: before[line] ?? "", tool: toolIdentity(search), effect: "" }];
  editor.save = async () => "conflict" as never;
  const pressed = { key: "yo", cursorLine: line, shown, reason: null, keys: defaultKeys } as const;
  expect(await pressCallKey(chat, pressed)).toEqual({ type: "conflict" });
  expect(editor.lines).toEqual(before);
});

it("nothing approved runs while the file cannot be written", async () => {
  const { chat, editor, runs } = openMemoryChat("💬: look", [{ calls: [call] }]);
  editor.save = async () => "failed" as never;
  expect(await respond(chat, 0)).toMatchObject({ type: "unsaved" });
  const line = editor.lines.findIndex((text) => text.startsWith("❓:"));
  const shown = [{ line, text: editor.lines[line] ?? "", tool: toolIdentity(search), effect: "" }];
  const pressed = { key: "yo", cursorLine: line, shown, reason: null, keys: defaultKeys } as const;
  expect(await pressCallKey(chat, pressed)).toEqual({ type: "unsaved" });
  expect(runs).toEqual([]);
});

it("respond in the header answers the last question; an unchanged one is replaced after a yes only", async () => {
  const text = "---\ntopic: t\n---\n\n💬: one\n\n🤖:[a]\n\nOne.\n\n💬: two";
  const asked: string[] = [];
  const kept: string[] = [];
  const { chat, editor, requests } = openMemoryChat(text, [{ text: "New." }, { text: "Two." }], {
    confirm: async (question) => {
      asked.push(question);
      return false;
    },
    keepReplaced: async (old) => {
      kept.push(old);
      return "kept.md";
    },
  });
  expect(await respond(chat, 0)).toEqual({ type: "done" });
  expect(editor.lines.join("\n")).toContain("Two.\n\n💬: ");
  expect(asked).toEqual([]);
  // The last question is the one that was answered just now.
  expect(await respond(chat, 0)).toMatchObject({ type: "refused" });
  expect(asked).toHaveLength(1);
  expect(requests).toHaveLength(1);
  const { tick } = await editor.read();
  await editor.apply({ tick }, [{ start: 4, end: 5, lines: ["💬: one, edited"] }]);
  expect(await respond(chat, 4)).toEqual({ type: "done" });
  expect(asked).toHaveLength(1);
  expect(kept).toEqual(["💬: one, edited\n\n🤖:[a]\n\nOne.\n\n"]);
  expect(editor.lines.join("\n")).toContain("💬: one, edited\n\n🤖:[script]\n\nNew.");
});

it("sends nothing of a chat with a conflict of git", async () => {
  const { chat, requests } = openMemoryChat("<<<<<<< a\n💬: one\n=======\n💬: two\n>>>>>>> b", []);
  expect(await respond(chat, 1)).toMatchObject({
    type: "refused",
    message: expect.stringContaining(":Parley fix"),
  });
  expect(requests).toHaveLength(0);
});
