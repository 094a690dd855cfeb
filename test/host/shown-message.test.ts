/** Messages for a user, whoever's words are in them. */
import { expect, it } from "vitest";
import { shownMessage } from "../../src/host/shown-message.ts";

it("a message is shown as it is, line by line, with what nobody sees made visible", () => {
  expect(shownMessage("one\ttwo\nthree\u202e")).toBe("one    two\nthree\\u{202e}");
});

it.each([
  ["characters", "word ".repeat(2_000_000)],
  ["lines", "word\n".repeat(2_000_000)],
])("a message of very many %s is cut, and says so", (_, message) => {
  const shown = shownMessage(message);
  expect(shown.length).toBeLessThan(10_100);
  expect(shown.split("\n").length).toBeLessThan(310);
  expect(shown).toMatch(/\n\(9\d+ more characters are not shown\.\)$/);
});
