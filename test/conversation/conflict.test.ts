/** Two programs write one file: an approval that could not be saved does not count. */

import { expect, it } from "vitest";
import { toolIdentity } from "../../src/conversation/decide/remembered.ts";
import { defaultKeys } from "../../src/conversation/keys.ts";
import { pressCallKey, respond } from "../../src/conversation/turn/actions.ts";
import { openMemoryChat, search } from "./memory-chat.ts";

const call = { id: "c1", name: "search", arguments: "{}" };

it("does not run an approved call, then or later, when another program wrote the file in the meantime", async () => {
  const { chat, editor, runs } = openMemoryChat("💬: look", [{ calls: [call] }]);
  expect(await respond(chat, 0)).toMatchObject({ type: "await-approval" });
  const line = editor.lines.findIndex((text) => text.startsWith("❓:"));
  const shown = [{ line, text: editor.lines[line] ?? "", tool: toolIdentity(search), effect: "" }];
  const save = editor.save.bind(editor);
  let saves = 0;
  // The other program writes after the file was checked and before the decision is saved.
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

it("checks for another program's changes before it sends a request or decides a call", async () => {
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

it("does not run approved calls while the file cannot be saved", async () => {
  const { chat, editor, runs } = openMemoryChat("💬: look", [{ calls: [call] }]);
  editor.save = async () => "failed" as never;
  expect(await respond(chat, 0)).toMatchObject({ type: "unsaved" });
  const line = editor.lines.findIndex((text) => text.startsWith("❓:"));
  const shown = [{ line, text: editor.lines[line] ?? "", tool: toolIdentity(search), effect: "" }];
  const pressed = { key: "yo", cursorLine: line, shown, reason: null, keys: defaultKeys } as const;
  expect(await pressCallKey(chat, pressed)).toEqual({ type: "unsaved" });
  expect(runs).toEqual([]);
});

it("answers the last question from the header, and replaces an unchanged question's answer only after confirmation", async () => {
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

it("sends nothing from a chat with a git conflict", async () => {
  const { chat, requests } = openMemoryChat("<<<<<<< a\n💬: one\n=======\n💬: two\n>>>>>>> b", []);
  expect(await respond(chat, 1)).toMatchObject({
    type: "refused",
    message: expect.stringContaining(":Parley fix"),
  });
  expect(requests).toHaveLength(0);
});
