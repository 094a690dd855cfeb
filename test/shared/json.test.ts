import { describe, expect, it } from "vitest";
import { messageOf } from "../../src/shared/json.ts";

describe("what was thrown, in words", () => {
  const refused = [
    new Error("connect ECONNREFUSED ::1:9"),
    new Error("connect ECONNREFUSED 127.0.0.1:9"),
  ];
  const both = "connect ECONNREFUSED ::1:9; connect ECONNREFUSED 127.0.0.1:9";

  it.each([
    ["an error", new Error("no"), "no"],
    ["an error without a message", new TypeError(), "TypeError"],
    ["a text", "no", "no"],
    ["nothing", undefined, "undefined"],
    ["an object with a message", { status: 404, message: "no such page" }, "no such page"],
    ["an object whose message is none", { message: 5 }, '{"message":5}'],
    // As Node tells them.
    ["a host whose addresses all failed", new AggregateError(refused), both],
    ["several errors with a message", new AggregateError(refused, "no way"), "no way"],
    [
      "a failed fetch",
      new TypeError("fetch failed", { cause: refused[0] }),
      `fetch failed (${refused[0]?.message})`,
    ],
    [
      "the same of several addresses",
      new TypeError("fetch failed", { cause: new AggregateError(refused) }),
      `fetch failed (${both})`,
    ],
    ["another error with a cause", new Error("not saved", { cause: refused[0] }), "not saved"],
  ])("is of %s", (_, thrown, words) => {
    expect(messageOf(thrown)).toBe(words);
  });
});
