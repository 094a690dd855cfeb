/** What the model is asked is what the text says above its answer, whatever is typed while the request is made. */
import { describe, expect, it } from "vitest";
import { respond, retry } from "../../../src/conversation/turn/actions.ts";
import type { Edit } from "../../../src/transcript/transcript.ts";
import fc from "../../support/property.ts";
import { openMemoryChat } from "../memory-chat.ts";

type Moment = "while it is prepared" | "while its answer is opened";

/** A chat whose text gets these edits, one at each moment as it comes. */
function openEdited(text: string, typed: readonly { readonly at: Moment; readonly edit: Edit }[]) {
  const memory = openMemoryChat(text, [{ text: "Hi." }]);
  const { chat, editor } = memory;
  const { prepare } = chat.ports;
  const { openTip } = editor;
  const left = [...typed];
  const asked: string[] = [];
  let prepared = 0;
  const type = async (moment: Moment) => {
    if (left[0]?.at !== moment) return;
    const { start = 0, end = 0, lines = [] } = left.shift()?.edit ?? {};
    // Earlier edits may have removed the lines that this one was for.
    const last = editor.lines.length;
    const edit = { start: Math.min(start, last), end: Math.min(end, last), lines };
    await chat.edit("theirs", () => ({ edits: [edit] }));
  };
  Object.assign(chat.ports, {
    prepare: async (...how: Parameters<typeof prepare>) => {
      prepared += 1;
      const made = await prepare(...how);
      await type("while it is prepared");
      return made;
    },
  });
  editor.openTip = async (...how) => {
    await type("while its answer is opened");
    const tip = await openTip.call(editor, ...how);
    if (typeof tip === "object" && "line" in tip) {
      // As the format says it, by a reader of its own: all of the question above the answer's line.
      const answer = editor.lines.lastIndexOf("🤖:[script]");
      const above = editor.lines.slice(0, answer);
      asked.push(above.slice(above.findLastIndex((line) => line.startsWith("💬:"))).join("\n"));
    }
    return tip;
  };
  return { ...memory, asked, prepared: () => prepared };
}

const textOf = (part: { readonly type: string; readonly text?: string }) => part.text ?? "";
const ofQuestion = (text: string) => text.replace(/^💬:/u, "").trim();

function lastQuestions({ requests }: Pick<ReturnType<typeof openMemoryChat>, "requests">) {
  return requests.map(({ messages }) => {
    const message = messages.findLast(({ role }) => role === "user");
    return message?.role === "user" ? message.content.map(textOf).join("") : null;
  });
}

const at = (start: number, end: number, ...lines: string[]): Edit => ({ start, end, lines });

describe.each(["while it is prepared", "while its answer is opened"] as const)(
  "what is typed %s",
  (moment) => {
    it.each([
      ["into the question", at(0, 1, "💬: hello there"), "hello there\nmore"],
      ["below the question", at(1, 1, "and there"), "hello\nand there\nmore"],
      ["over a line of it", at(1, 2), "hello"],
      ["above it", at(0, 0, "---", "model: mock/other", "---"), "hello\nmore"],
    ])("%s is sent", async (_, edit, question) => {
      const { chat, requests, editor, prepared } = openEdited("💬: hello\nmore\n", [
        { at: moment, edit },
      ]);
      expect(await respond(chat, 0)).toEqual({ type: "done" });
      expect(lastQuestions({ requests })).toEqual([question]);
      expect(editor.lines.join("\n")).toContain(`💬: ${question}\n\n🤖:`);
      expect(prepared()).toBe(2);
    });

    it("below it, as the next question, makes the request no second time", async () => {
      const { chat, requests, prepared } = openEdited("💬: hello\n\n💬: next\n", [
        { at: moment, edit: at(2, 3, "💬: next one") },
      ]);
      expect(await respond(chat, 0)).toEqual({ type: "done" });
      expect([requests.length, prepared()]).toEqual([1, 1]);
    });

    it.each([
      ["is all of it, taken back", at(0, 2, "💬: ")],
      ["is an answer", at(2, 2, "🤖:[mine]", "", "I know it.", "")],
    ])("and %s, so that nothing is sent", async (_, edit) => {
      const { chat, requests, editor } = openEdited("💬: hello\nmore\n", [{ at: moment, edit }]);
      const end = await respond(chat, 0);
      expect(end).toMatchObject({
        type: "refused",
        message: expect.stringContaining("changed in the meantime"),
      });
      expect(requests).toEqual([]);
      expect(editor.lines.join("\n")).not.toContain("parley:unfinished");
    });

    it("is sent in the place of an answer that is replaced, too", async () => {
      const { chat, requests } = openEdited("💬: hello\n\n🤖:[script]\n\nOld.\n", [
        { at: moment, edit: at(0, 1, "💬: hello there") },
      ]);
      expect(await retry(chat, 0)).toEqual({ type: "done" });
      expect(lastQuestions({ requests })).toEqual(["hello there"]);
    });
  },
);

it("is sent as it is above the answer, whatever was typed, and how often", async () => {
  const moment = fc.constantFrom<Moment>("while it is prepared", "while its answer is opened");
  const line = fc.constantFrom("", "word", "two words", "- a list", "```", "# title");
  const edit = fc
    .record({
      start: fc.nat({ max: 3 }),
      removed: fc.nat({ max: 2 }),
      lines: fc.array(line, { maxLength: 3 }),
    })
    .map(({ start, removed, lines }) => at(1 + start, Math.min(4, 1 + start + removed), ...lines));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ at: moment, edit }), { maxLength: 6 }), async (typed) => {
      const edited = openEdited("💬: hello\none\ntwo\nthree\n", typed);
      await respond(edited.chat, 0);
      expect(lastQuestions(edited)).toEqual(edited.asked.map(ofQuestion));
      expect(edited.requests).toHaveLength(1);
    }),
    { numRuns: 200 },
  );
});

describe("a question in an answer, behind blanks", () => {
  it.each([
    ["on its line", "b\n 💬: c\nmore\n", 5, true],
    ["below its line", "b\n\t💬: c\nmore\n", 6, true],
    ["below a blank line after it", "b\n\n  💬: c\n\nmore\n", 8, false],
  ])("is not a wish to replace the answer, %s", async (_, end, line, isMeant) => {
    const asked: string[] = [];
    const { chat, requests } = openMemoryChat(`💬: a\n\n🤖:[x]\n\n${end}`, [{ text: "Done." }], {
      confirm: async (question) => asked.push(question) < 0,
    });
    const words = isMeant ? "has blanks in front of it" : "Nothing was changed";
    expect(await respond(chat, line)).toMatchObject({
      type: "refused",
      message: expect.stringContaining(words),
    });
    expect(asked).toHaveLength(isMeant ? 0 : 1);
    expect(requests).toEqual([]);
  });
});
