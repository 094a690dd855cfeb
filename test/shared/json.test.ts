import { describe, expect, it } from "vitest";
import { messageOf } from "../../src/shared/json.ts";

describe("messageOf", () => {
  const refused = [
    new Error("connect ECONNREFUSED ::1:9"),
    new Error("connect ECONNREFUSED 127.0.0.1:9"),
  ];
  const both = "connect ECONNREFUSED ::1:9; connect ECONNREFUSED 127.0.0.1:9";

  it.each([
    ["an error", new Error("no"), "no"],
    ["an error without a message", new TypeError(), "TypeError"],
    ["a text", "no", "no"],
    ["undefined", undefined, "undefined"],
    ["an object with a message", { status: 404, message: "no such page" }, "no such page"],
    ["an object whose message is not a string", { message: 5 }, '{"message":5}'],
    // These are the errors that Node throws.
    ["a connection that failed for all addresses of a host", new AggregateError(refused), both],
    ["several errors with a message", new AggregateError(refused, "no way"), "no way"],
    [
      "a failed fetch",
      new TypeError("fetch failed", { cause: refused[0] }),
      `fetch failed (${refused[0]?.message})`,
    ],
    [
      "a failed fetch that tried several addresses",
      new TypeError("fetch failed", { cause: new AggregateError(refused) }),
      `fetch failed (${both})`,
    ],
    ["another error with a cause", new Error("not saved", { cause: refused[0] }), "not saved"],
  ])("describes %s", (_, thrown, words) => {
    expect(messageOf(thrown)).toBe(words);
  });
});
