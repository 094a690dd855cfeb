/** Warnings and failures of one request. */
import { expect, it } from "vitest";
import { respond } from "../../../src/conversation/turn/actions.ts";
import { Chat, type ChatEvent } from "../../../src/conversation/turn/chat.ts";
import { openMemoryChat } from "../memory-chat.ts";

it("joins the warnings of a request in one message and reports each once", () => {
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

it("shows the first of thousands of warnings, and says how many more there are", () => {
  const told: string[] = [];
  const { chat } = openMemoryChat("💬: hi\n", [], {
    report: (event) => void (event.type === "notice" && told.push(event.message)),
  });
  chat.warnOnce(...Array.from({ length: 5000 }, (_, at) => `file ${at} is missing`));
  const [message = "", ...others] = told;
  expect(others).toEqual([]);
  expect(message.split("\n")).toHaveLength(21);
  expect(message).toMatch(/^file 0 is missing\n.*\(4980 more of this kind\.\)$/s);
});

it("reports the failure of an answer even when its file could not be saved", async () => {
  const told: ChatEvent[] = [];
  const { chat, editor } = openMemoryChat("💬: hi\n", [], {
    async *stream() {
      editor.save = async () => "failed";
      yield { type: "text-delta", text: "half of" };
      yield { type: "error", failure: { kind: "network", message: "The connection broke off." } };
    },
    report: (event) => told.push(event),
  });
  expect(await respond(chat, 0)).toEqual({ type: "unsaved" });
  expect(told).toContainEqual({
    type: "notice",
    level: "error",
    message: "The connection broke off.",
  });
});

it("reports the limit of a turn even when its file could not be saved", async () => {
  const told: ChatEvent[] = [];
  const { chat, editor } = openMemoryChat("💬: hi\n", [], {
    limits: () => {
      editor.save = async () => "failed";
      return { modelCalls: 0 };
    },
    report: (event) => told.push(event),
  });
  expect(await respond(chat, 0)).toEqual({ type: "unsaved" });
  const message = expect.stringContaining("max_model_calls");
  expect(told).toContainEqual({ type: "notice", level: "warn", message });
});

it("tells once of a call that an answer repeats many times", async () => {
  const told: string[] = [];
  const calls = Array.from({ length: 20 }, (_, at) => ({
    id: `call_${at}`,
    name: "search",
    arguments: `{"query":"x"}`,
  }));
  const { chat } = openMemoryChat("💬: hi\n", [{ calls }], {
    report: (event) => void (event.type === "notice" && told.push(event.message)),
  });
  await respond(chat, 0);
  expect(told).toEqual([expect.stringContaining("search was called with the same arguments")]);
});
