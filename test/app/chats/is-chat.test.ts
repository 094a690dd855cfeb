/** Which texts are chats, as the list of chats tells it; the editor tells it alike (test/lua/visit.test.ts). */
import { expect, test } from "vitest";
import { summariseChat } from "../../../src/app/chats/summary.ts";
import { chatTexts } from "../../support/chat-texts.ts";

test.each(chatTexts)("$name: $isChat", ({ lines, isChat }) => {
  expect(summariseChat(lines.join("\n")).state !== "none").toBe(isChat);
});
