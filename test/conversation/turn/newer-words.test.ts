/** A chat of a later Parley: unknown keys in its step lines are kept, whatever is done. */
import { expect, it } from "vitest";
import { approve, respond, retry } from "../../../src/conversation/turn/actions.ts";
import { openMemoryChat } from "../memory-chat.ts";

const unknown = '"later":{"a":[1,"ü"],"until":null}';
const step = (more = "") => `<!-- parley:step {${more}${unknown}} -->`;
const call = { id: "call_1", name: "search", arguments: '{"q":"it"}' };
const open = `❓: \`${JSON.stringify({ id: "call_1", type: "function", function: { name: "search", arguments: call.arguments } })}\``;

const words = (lines: readonly string[]) => lines.filter((line) => line.includes(unknown)).length;

it("keeps unknown keys of a step line after an approval, its result and the next step", async () => {
  const text = ["💬: find it", "", "🤖:[x]", "", step(), "", "Let me see.", "", open].join("\n");
  const { chat, editor, runs } = openMemoryChat(text, []);
  await approve(chat, () => true);
  expect(runs).toHaveLength(1);
  expect(editor.lines.join("\n")).toContain("Nothing more.");
  expect(words(editor.lines)).toBe(1);
});

it.each(["stopped", "error", "open"])(
  "keeps unknown keys of a step line after responding to a step that is %s",
  async (reason) => {
    const text = `💬: a\n\n🤖:[x]\n\n${step('"model":"mock/demo",')}\n\nb\n\n<!-- parley:unfinished ${reason} -->`;
    const { chat, editor } = openMemoryChat(text, [{ text: "Done." }]);
    await respond(chat, 2);
    expect(editor.lines.join("\n")).toContain("Done.");
    expect(words(editor.lines)).toBe(1);
  },
);

it("keeps unknown keys of a step line after a retry", async () => {
  const text = `💬: a\n\n🤖:[x]\n\n${step()}\n\nb\n\n💬: `;
  const { chat, editor } = openMemoryChat(text, [{ text: "Done." }]);
  await retry(chat, 2);
  expect(editor.lines.join("\n")).toContain("Done.");
  expect(words(editor.lines)).toBe(1);
});

it("keeps unknown keys of a step line after the next question is answered", async () => {
  const text = `💬: a\n\n🤖:[x]\n\n${step()}\n\nb\n\n💬: c\n`;
  const { chat, editor } = openMemoryChat(text, []);
  await respond(chat, 8);
  expect(editor.lines.join("\n")).toContain("Nothing more.");
  expect(words(editor.lines)).toBe(1);
});
