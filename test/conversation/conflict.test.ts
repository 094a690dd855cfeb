/** Two programs on one file: a yes that could not be written is none. */
import { expect, it } from "vitest";
import { press, respond } from "../../src/conversation/turn/actions.ts";
import { openMemoryChat } from "./memory-chat.ts";

const call = { id: "c1", name: "search", arguments: "{}" };

it("a yes whose file somebody else wrote meanwhile runs nothing, then and later", async () => {
  const { chat, editor, runs } = openMemoryChat("💬: look", [{ calls: [call] }]);
  expect(await respond(chat, 0)).toMatchObject({ type: "await-approval" });
  const line = editor.lines.findIndex((text) => text.startsWith("❓:"));
  const shown = [{ line, text: editor.lines[line] ?? "", tool: "", effect: "" }];
  const save = editor.save.bind(editor);
  editor.save = async () => "conflict" as never;
  const pressed = { key: "yo", cursorLine: line, shown, reason: null } as const;
  expect(await press(chat, pressed)).toEqual({ type: "conflict" });
  editor.save = save;
  expect(await respond(chat, 0)).toMatchObject({
    type: "await-approval",
    open: [{ reason: "interrupted" }],
  });
  expect(runs).toEqual([]);
});
