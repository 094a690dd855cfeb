/** A history that can be sent goes out as it is: nothing of it is copied on the way to the wire. */

import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message, UserMessage } from "../../../src/conversation/ports.ts";
import { toTurns } from "../../../src/providers/request/history.ts";
import { compatOf } from "../../../src/providers/vendors/vendors.ts";

const model = { provider: "openai", id: "gpt-5" };
const rules = { callIds: { length: 40, isExact: false, keepsMeaning: true } };

describe("turns", () => {
  it("have the content of clean messages, and no copies of it", () => {
    const messages: (UserMessage | AssistantMessage)[] = [
      { role: "user", content: [{ type: "text", text: "what is 💬?" }] },
      { role: "assistant", content: [{ type: "text", text: "a marker" }] },
      { role: "user", content: [{ type: "text", text: "and \ud83d?" }] },
    ];
    const turns = toTurns({ messages, model }, rules);
    expect(turns[0]?.content).toBe(messages[0]?.content);
    expect(turns[1]?.content).toBe(messages[1]?.content);
    expect(turns[2]?.content).toEqual([{ type: "text", text: "and \ufffd?" }]);
  });

  it.each(["user", "assistant"] as const)(
    "join what one %s says at a time, and change no message",
    (role) => {
      const said = (text: string) => ({ role, content: [{ type: "text", text }] }) as const;
      const messages: Message[] = [
        { role: "user", content: [{ type: "text", text: "first" }] },
        { role: "assistant", content: [{ type: "text", text: "second" }] },
        ...["a", "b", "c"].map(said),
      ];
      const before = structuredClone(messages);
      const turns = toTurns({ messages, model }, rules);
      const texts = turns.map(({ content }) =>
        content.map((part) => (part.type === "text" ? part.text : part.type)),
      );
      expect(texts).toEqual(
        role === "user"
          ? [["first"], ["second"], ["a", "b", "c"]]
          : [["first"], ["second", "a", "b", "c"]],
      );
      expect(messages).toEqual(before);
      expect(toTurns({ messages, model }, rules)).toEqual(turns);
    },
  );

  it("have images in the form that vendors accept", () => {
    const image = (mime: string, data: string) => ({ type: "image", mime, data }) as const;
    const content = [
      image("image/jpg", "data:image/jpeg;base64,/9j/\n4AA="),
      image("IMAGE/PNG; q=1", "iVBORw0K"),
      image("image/svg+xml", "PHN2Zy8+"),
    ];
    const [turn] = toTurns({ messages: [{ role: "user", content }], model }, rules);
    expect(turn?.content).toEqual([
      image("image/jpeg", "/9j/4AA="),
      image("image/png", "iVBORw0K"),
      image("image/svg+xml", "PHN2Zy8+"),
    ]);
  });

  it("have ids that say something to a model or a gateway as they are, for vendors that take them", () => {
    const signed = `call_1__thought__${"aB+/".repeat(300)}==`;
    const messages = ["functions.read:0", signed, "functions.read:0", "a.b"].map(
      (id): AssistantMessage => ({
        role: "assistant",
        content: [{ type: "tool-call", id, name: "read", arguments: "{}" }],
      }),
    );
    const ids = (provider: string) => {
      const { callIds } = compatOf(provider);
      const turns = toTurns({ messages, model }, { callIds });
      return turns.flatMap((turn) =>
        turn.role === "assistant" ? turn.results.map(({ callId }) => callId) : [],
      );
    };
    expect(ids("mine")).toEqual(["functions.read:0", signed, "functions.read:1", "a_b"]);
    for (const id of ids("openai")) expect(id.length).toBeLessThanOrEqual(40);
    for (const id of ids("anthropic")) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    for (const id of ids("mistral")) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  });

  it("give calls that share an id ids of their own, and each its own result", () => {
    const step = (...texts: readonly string[]): readonly Message[] => [
      {
        role: "assistant",
        content: texts.map(() => ({ type: "tool-call", id: "a", name: "t", arguments: "{}" })),
      },
      {
        role: "tool",
        results: texts.map((text) => ({
          ...({ type: "tool-result", callId: "a", name: "t", isError: false } as const),
          content: [{ type: "text", text }],
        })),
      },
    ];
    const turns = toTurns(
      { messages: [...step("1", "2"), ...step("3")], model },
      compatOf("openai"),
    );
    const results = turns.flatMap((turn) => (turn.role === "assistant" ? turn.results : []));
    expect(results.map(({ callId, content }) => [callId, content[0]])).toEqual([
      ["a", { type: "text", text: "1" }],
      ["a_2", { type: "text", text: "2" }],
      ["a_3", { type: "text", text: "3" }],
    ]);
  });

  it("have the state of the model that is asked alone", () => {
    const content = [{ type: "text", text: "said" }] as const;
    const other = { provider: "anthropic", id: "claude" };
    const said = [{ model }, {}, { model: other }].map((made) => ({ ...made, state: "own" }));
    const messages = said.flatMap((one): Message[] => [
      { role: "user", content },
      { role: "assistant", content, ...one },
    ]);
    const states = toTurns({ messages, model }, rules).flatMap((turn) =>
      turn.role === "assistant" ? [turn.state] : [],
    );
    expect(states).toEqual(["own", "own", undefined]);
  });
});
