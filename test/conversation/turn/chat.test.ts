/** The parsed transcript of a chat always matches its text, whoever wrote or parsed it. */
import { expect, it } from "vitest";
import { applyEdits } from "../../../src/transcript/edits/layout.ts";
import { parseLines } from "../../../src/transcript/parse.ts";
import type { Edit } from "../../../src/transcript/transcript.ts";
import { openMemoryChat } from "../memory-chat.ts";

const text = "💬: one\n\n🤖:[m]\nan answer\n\n💬: two\n";

it("reuses the transcript that an edit has already parsed", async () => {
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
] as const)("reads the current text when the user %s right after an edit", async (_, typed) => {
  const { chat, editor } = openMemoryChat(text, []);
  const edits: readonly Edit[] = [{ start: 3, end: 4, lines: ["another"] }];
  await chat.edit("1", (transcript) => {
    return { edits, written: parseLines(applyEdits(transcript.lines, edits), transcript) };
  });
  const { tick } = await editor.read();
  await editor.apply({ tick }, typed);
  expect((await chat.read()).transcript).toEqual(parseLines(editor.lines));
  // A parse of one edit is valid for that edit only.
  await editor.apply(await editor.read(), [{ start: 0, end: 1, lines: ["💬: again"] }]);
  expect((await chat.read()).transcript).toEqual(parseLines(editor.lines));
});
