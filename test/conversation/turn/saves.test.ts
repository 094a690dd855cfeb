/** How often a turn waits for the disk: before a call runs and at its end, and for nothing else. */
import { expect, it } from "vitest";
import { toolIdentity } from "../../../src/conversation/decide/remembered.ts";
import { defaultKeys } from "../../../src/conversation/keys.ts";
import { press, respond } from "../../../src/conversation/turn/actions.ts";
import { openMemoryChat, search } from "../memory-chat.ts";

const call = { id: "c1", name: "search", arguments: "{}" };

it("a decision is on the disk before its call runs, and the end; a result is in the file before the request", async () => {
  const memory = openMemoryChat("💬: look", [{ calls: [call] }, { text: "Done." }]);
  const { chat, editor, runs, requests } = memory;
  const happened: string[] = [];
  const save = editor.save.bind(editor);
  editor.save = async (quick = false) => {
    const result = editor.lines.join("\n").includes("🛠️") ? "result" : "no result";
    const now = `${quick ? "quick" : "disk"}: ${runs.length} run, ${requests.length} asked, ${result}`;
    if (happened.at(-1) !== now) happened.push(now);
    return save();
  };
  await respond(chat, 0);
  const line = editor.lines.findIndex((text) => text.startsWith("❓:"));
  const shown = [{ line, text: editor.lines[line] ?? "", tool: toolIdentity(search), effect: "" }];
  await press(chat, { key: "ya", cursorLine: line, shown, reason: null, keys: defaultKeys });
  expect(happened).toEqual([
    "disk: 0 run, 0 asked, no result",
    "disk: 0 run, 1 asked, no result",
    "quick: 1 run, 1 asked, no result",
    "quick: 1 run, 1 asked, result",
    "quick: 1 run, 2 asked, result",
    "disk: 1 run, 2 asked, result",
  ]);
});
