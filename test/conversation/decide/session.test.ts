import { describe, expect, test } from "vitest";
import {
  anchoredExchange,
  anchorOf,
  emptySession,
  moveSession,
  type TrackedCall,
} from "../../../src/conversation/decide/session.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import { callLine, scene } from "../chats.ts";

/** Three similar exchanges, as in a chat with one model. */
const text = ["teh one", "teh two", "teh three"]
  .map((asked) => `💬: ${asked}\n\n🤖:[x]\n\nteh answer\n`)
  .join("\n");

/** Which exchange a turn is about after an edit of all lines. */
function followed(index: number, edited: string) {
  const { transcript, exchange } = scene(text, index);
  const session = { ...emptySession, respondedTo: anchorOf(transcript, exchange) };
  const now = parseTranscript(edited);
  const splice = { start: 0, end: transcript.lines.length, lines: now.lines };
  return anchoredExchange(now, moveSession(session, splice).respondedTo ?? undefined)?.index;
}

describe("moveSession with one edit of the whole chat", () => {
  test.each([0, 1, 2])("keeps a turn at its exchange (number %i)", (index) => {
    expect(followed(index, text.replaceAll("answer", "reply"))).toBe(index);
    expect(followed(index, text.replaceAll("teh", "the"))).toBe(index);
    expect(followed(index, text.replaceAll("\n\nteh", "\nThe"))).toBe(index);
    expect(followed(index, `above\n\n${text.replaceAll("answer", "long\n\nanswer")}`)).toBe(index);
  });

  test("keeps an approval at its line, and drops it when the line moved and occurs twice", () => {
    const line = callLine("a", "ya");
    const call: TrackedCall = {
      line: 1,
      text: line,
      state: "approved",
      tool: "",
      effect: "",
      isAlone: false,
    };
    const left = (...lines: string[]) =>
      moveSession({ ...emptySession, calls: [call] }, { start: 0, end: 4, lines }).calls;
    expect(left("new", line, "new", line)).toEqual([call]);
    expect(left("new", "new", line, line)).toEqual([]);
    expect(left("new", line, "new", "new", line)).toEqual([]);
  });
});
