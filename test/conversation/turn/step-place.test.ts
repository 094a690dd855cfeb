import { describe, expect, it } from "vitest";
import { anchorOf } from "../../../src/conversation/decide/session.ts";
import type { StreamTip } from "../../../src/conversation/editor.ts";
import { placeOf } from "../../../src/conversation/turn/step-place.ts";
import fc from "../../support/property.ts";
import { inTurn, scene } from "../chats.ts";
import { openMemoryChat } from "../memory-chat.ts";

const mark = "<!-- parley:unfinished open -->";
const lost = ["💬: a", "", "🤖:", "", "b", "", mark].map((line) =>
  line === "🤖:" ? "the answer's first line, edited" : line,
);

/** A tip that tells where the mark was when it was asked, as an editor does in which somebody types. */
function tipAt(line: number): StreamTip {
  const told = async () => line;
  return {
    write: async () => "gone",
    line: told,
    mark: told,
    restoreMark: told,
    close: async () => {},
  };
}

it("moves the turn to the exchange that contains its mark", async () => {
  const half = ["💬: a", "", "🤖:", "", "b", "", "💬: c", "", "🤖:", "", "half of", "", mark];
  const { chat } = openMemoryChat(half.join("\n"), []);
  chat.session = inTurn(chat.session, scene(half.join("\n"), 0));
  await placeOf(chat, tipAt(12), "u").edit(() => null);
  const at = { line: 6, answer: { line: 8 } };
  expect(chat.session).toMatchObject({ turn: { exchange: at }, respondedTo: at });
});

describe("losing the place of a step", () => {
  it("marks an incomplete answer as stopped", async () => {
    const half = ["💬: a", "", "🤖:", "", "half of", "", mark];
    const { chat, editor } = openMemoryChat(half.join("\n"), []);
    expect(await placeOf(chat, tipAt(6), "u").lose()).toEqual({ type: "gone" });
    expect(editor.lines.slice(0, 5)).toEqual(half.slice(0, 5));
    expect(editor.lines.at(-1)).toBe("<!-- parley:unfinished stopped -->");
  });

  it("removes a mark that belongs to no answer", async () => {
    const { chat, editor } = openMemoryChat(lost.join("\n"), []);
    expect(await placeOf(chat, tipAt(6), "u").lose()).toEqual({ type: "gone" });
    expect(editor.lines).toEqual(lost.slice(0, 6));
  });

  it("removes only marks, whatever the user typed in the meantime", async () => {
    const typed = fc.array(fc.constantFrom("", "typed", "💬: b", "🤖:[x]", mark), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(typed, fc.nat(9), async (lines, at) => {
        const { chat, editor } = openMemoryChat(lines.join("\n"), []);
        const words = (now: readonly string[]) =>
          now.filter((line) => line !== "" && line !== mark);
        const before = words(editor.lines);
        await placeOf(chat, tipAt(at), "u").lose();
        // What stays may be told as stopped where it is the mark of an answer.
        const after = editor.lines.filter((line) => !line.startsWith("<!-- parley:unfinished"));
        expect(words(after)).toEqual(before);
      }),
    );
  });

  it("reads the text, restores the mark, and reads the text again", async () => {
    const { chat, editor } = openMemoryChat(lost.join("\n"), []);
    const read = editor.read.bind(editor);
    const asked: string[] = [];
    editor.read = async () => {
      asked.push("read");
      return read();
    };
    const tip = tipAt(6);
    const restoreMark = async () => {
      asked.push("mark");
      return tip.restoreMark();
    };
    await placeOf(chat, { ...tip, restoreMark }, "u").lose();
    expect(asked.slice(0, 3)).toEqual(["read", "mark", "read"]);
  });
});

it("moves the turn back to its answer when the whole text, which has two equal questions, is replaced", async () => {
  const asked = ["💬: again", "", "🤖:[x]", ""];
  const lines = [...asked, "one", "", ...asked, "half", mark];
  const { chat, editor } = openMemoryChat(lines.join("\n"), []);
  const { transcript } = await chat.read();
  const running = { modelCalls: 1, callCounts: {}, invalidAnswers: 0 };
  const exchange = anchorOf(transcript, transcript.exchanges[1]!);
  chat.session = { ...chat.session, turn: { ...running, exchange }, respondedTo: exchange };
  // The two equal questions cannot be told apart now.
  const edit = { start: 0, end: lines.length, lines: ["typed", ...lines] };
  await editor.apply(await editor.read(), [edit]);
  expect(chat.session.turn?.exchange.line).toBe(1);
  await placeOf(chat, tipAt(lines.length), "u").edit(() => ({ edits: [] }));
  expect(chat.session.turn?.exchange.line).toBe(7);
  expect(chat.session.respondedTo?.line).toBe(7);
});
