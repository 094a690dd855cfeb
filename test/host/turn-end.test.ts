/** What a person is told of turns that ended, and of answers without an end. */
import { describe, expect, test } from "vitest";
import { unfinishedText } from "../../src/host/turn-end.ts";

describe("unfinishedText", () => {
  test.each([
    ["open", null, "this answer broke off; press gr to ask again"],
    ["stopped", null, "this answer was stopped; press gr to ask again"],
    ["stopped", { type: "stopped" }, "this answer was stopped; press gr to ask again"],
    [
      "open",
      { type: "done" },
      "undone: the rest of this answer comes back with redo; or press gr to ask again",
    ],
    [
      "open",
      { type: "gone" },
      "this answer was stopped when its place was changed; press gr to ask again",
    ],
  ] as const)("of %s after %o", (reason, end, text) => {
    expect(unfinishedText(reason, end, "gr")).toBe(text);
  });
});
