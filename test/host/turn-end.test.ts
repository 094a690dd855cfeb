/** Messages about turns that ended, and about answers without an end. */
import { describe, expect, test } from "vitest";
import { endSentence, unfinishedText } from "../../src/host/chat/turn-end.ts";

describe("unfinishedText", () => {
  test.each([
    ["open", null, "This answer broke off. Press gr to ask again."],
    ["stopped", null, "This answer was stopped. Press gr to ask again."],
    ["stopped", { type: "stopped" }, "This answer was stopped. Press gr to ask again."],
    [
      "open",
      { type: "done" },
      "Undone: redo brings back the rest of this answer, or press gr to ask again.",
    ],
    [
      "open",
      { type: "gone" },
      "The answer was stopped because its text or its place was undone, changed or removed. Press gr to ask again.",
    ],
    [
      "stopped",
      { type: "gone" },
      "The answer was stopped because its text or its place was undone, changed or removed. Press gr to ask again.",
    ],
  ] as const)("of %s after %o", (reason, end, text) => {
    expect(unfinishedText(reason, end, "gr")).toBe(text);
  });
});

describe("endSentence", () => {
  const part = { unfinished: null, isWhole: false, isWaiting: false };
  const whole = { ...part, isWhole: true };
  const waiting = { ...part, isWaiting: true };

  test.each(["unsaved", "conflict"] as const)(
    "of %s names no key that asks again for a whole answer",
    (type) => {
      expect(endSentence({ type }, part, "gr")[1]).toMatch(/press gr/i);
      expect(endSentence({ type }, whole, "gr")[1]).not.toContain("gr");
      expect(endSentence({ type }, whole, "gr")[1]).toContain(
        "The whole answer is in the buffer; :w",
      );
      // With calls that wait that key does nothing, and they may have come with the answer: nothing was decided yet.
      expect(endSentence({ type }, waiting, "gr")[1]).toMatch(/ decide the calls\.$/);
      expect(endSentence({ type }, waiting, "gr")[1]).toContain("no call runs meanwhile");
    },
  );
});
