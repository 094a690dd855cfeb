import { expect, test } from "vitest";
import { isChat } from "../../src/conversation/is-chat.ts";
import { parseLines } from "../../src/transcript/parse.ts";
import { chatTexts } from "../support/chat-texts.ts";

test.each(chatTexts)("$name: $isChat", ({ lines, isChat: expected }) => {
  const place = { path: "/chats/a.md", chatDirs: ["/chats"], attached: false };
  expect(isChat(parseLines(lines), place)).toBe(expected);
});
