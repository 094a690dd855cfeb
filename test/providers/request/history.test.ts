/** A history that can be sent goes out as it is: nothing of it is copied on the way to the wire. */

import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message, UserMessage } from "../../../src/conversation/ports.ts";
import { toTurns } from "../../../src/providers/request/history.ts";

const model = { provider: "openai", id: "gpt-5" };
const rules = { callIds: { length: 40, isExact: false } };

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
