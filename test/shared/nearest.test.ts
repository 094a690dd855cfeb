import { describe, expect, it } from "vitest";
import { nearestWord } from "../../src/shared/nearest.ts";

describe("nearestWord", () => {
  const known = ["model", "models", "max_tokens", "role", "tools", "tags", "topic"];

  it.each([
    ["modle", "model"],
    ["modell", "model"],
    ["max_token", "max_tokens"],
    ["maxtokens", "max_tokens"],
    ["mxa_tokens", "max_tokens"],
    ["toolz", "tools"],
    ["tag", "tags"],
    ["topics", "topic"],
  ])("suggests for “%s” the word “%s”", (word, nearest) => {
    expect(nearestWord(word, known)).toBe(nearest);
  });

  it.each(["temperature", "title", "to", "note", "", "x".repeat(5000)])(
    "suggests nothing for an unrelated word (%#)",
    (word) => {
      expect(nearestWord(word, known)).toBeNull();
    },
  );
});
