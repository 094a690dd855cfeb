/** What a chat knows of its text: the same as a parse of it, whoever wrote it and whoever parsed it first. */
import { expect, it } from "vitest";
import { applyEdits } from "../../../src/transcript/edits/layout.ts";
import { parseLines } from "../../../src/transcript/parse.ts";
import type { Edit } from "../../../src/transcript/transcript.ts";
import { openMemoryChat } from "../memory-chat.ts";

const text = "💬: one\n\n🤖:[m]\nan answer\n\n💬: two\n";

it("takes over what a plan has parsed of its edit", async () => {
  const { chat, editor } = openMemoryChat(text, []);
  const edits: readonly Edit[] = [{ start: 3, end: 4, lines: ["another", "answer"] }];
  const plan = await chat.edit("1", (transcript) => {
    return { edits, written: parseLines(applyEdits(transcript.lines, edits), transcript) };
  });
  const { transcript } = await chat.read();
  expect(transcript.exchanges).toBe(plan?.written.exchanges);
  expect(transcript).toEqual(parseLines(editor.lines));
  expect((await chat.read()).transcript).toBe(transcript);
});

it.each([
  ["typed in another line", [{ start: 0, end: 1, lines: ["💬: one more"] }]],
  ["added a line", [{ start: 5, end: 5, lines: ["🤖:[m]", "typed"] }]],
  ["removed a line", [{ start: 0, end: 1, lines: [] }]],
] as const)("reads what is there when somebody %s right after", async (_, typed) => {
  const { chat, editor } = openMemoryChat(text, []);
  const edits: readonly Edit[] = [{ start: 3, end: 4, lines: ["another"] }];
  await chat.edit("1", (transcript) => {
    return { edits, written: parseLines(applyEdits(transcript.lines, edits), transcript) };
  });
  const { tick } = await editor.read();
  await editor.apply({ tick }, typed);
  expect((await chat.read()).transcript).toEqual(parseLines(editor.lines));
  // What was parsed for an edit holds for that edit alone.
  await editor.apply(await editor.read(), [{ start: 0, end: 1, lines: ["💬: again"] }]);
  expect((await chat.read()).transcript).toEqual(parseLines(editor.lines));
});
