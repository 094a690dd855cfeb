/** Remarks on one request. */
import { expect, it } from "vitest";
import { Chat, type ChatEvent } from "../../../src/conversation/turn/chat.ts";
import { openMemoryChat } from "../memory-chat.ts";

it("are one message, and each is told once", () => {
  const told: ChatEvent[] = [];
  const { chat } = openMemoryChat("💬: hi\n", []);
  const own = new Chat({ ...chat.ports, report: (event) => told.push(event) });
  own.warnOnce("one", "two");
  own.warnOnce("two", "three");
  own.warnOnce("one");
  expect(told).toEqual([
    { type: "notice", level: "warn", message: "one\ntwo" },
    { type: "notice", level: "warn", message: "three" },
  ]);
});
