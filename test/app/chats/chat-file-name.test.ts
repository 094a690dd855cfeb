/** Names that a user may give a chat, and those that would lose it. */
import { describe, expect, it } from "vitest";
import { renamedPath } from "../../../src/app/chats/chat-file-name.ts";

const path = "/chats/old.md";

describe("another name of a chat", () => {
  it.each([
    ["new", "/chats/new.md"],
    [" new name.md ", "/chats/new name.md"],
    ["v1.2", "/chats/v1.2.md"],
    ["数", "/chats/数.md"],
  ])("takes %j", (given, expected) => {
    expect(renamedPath(path, given)).toBe(expected);
  });

  it.each([
    [".", /begin with a dot/],
    ["..", /begin with a dot/],
    [".md", /at least one letter/],
    [".hidden", /begin with a dot/],
    ["", /at least one letter/],
    ["- -", /at least one letter/],
    ["../other/x", /cannot contain \//],
    ["sub/x", /:Parley move/],
    ["sub\\x", /:Parley move/],
    ["a\nb", /control characters/],
    ["a\u001b[31mb", /control characters/],
    ["old", /^The chat is already named old\.md\.$/],
    ["old.md", /already named/],
  ])("refuses %j in a sentence", (given, said) => {
    expect(() => renamedPath(path, given)).toThrow(said);
  });

  it("is on Windows none that hides the text in another file", () => {
    const renamed = (given: string) => renamedPath("C:\\chats\\old.md", given, "win32");
    expect(renamed("new name")).toBe("C:\\chats\\new name.md");
    for (const given of ["Rust: lifetimes", "why?", "nul", "a*b.md"])
      expect(() => renamed(given)).toThrow(/Windows has no files of such a name/);
  });
});
