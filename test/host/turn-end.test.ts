/** What a person is told of turns that ended, and of answers without an end. */
import { describe, expect, test } from "vitest";
import { unfinishedText } from "../../src/host/turn-end.ts";

describe("unfinishedText", () => {
  test.each([
    ["open", null, "This answer broke off. Press gr to ask again."],
    ["stopped", null, "This answer was stopped. Press gr to ask again."],
    ["stopped", { type: "stopped" }, "This answer was stopped. Press gr to ask again."],
    [
      "open",
      { type: "done" },
      "Undone: the rest of this answer comes back with redo, or press gr to ask again.",
    ],
    [
      "open",
      { type: "gone" },
      "The answer was stopped, because its place in the text was changed or removed. Press gr to ask again.",
    ],
  ] as const)("of %s after %o", (reason, end, text) => {
    expect(unfinishedText(reason, end, "gr")).toBe(text);
  });
});
