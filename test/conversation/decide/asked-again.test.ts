/** A remembered call that waits says why, at its row. */
import { expect, test } from "vitest";
import { callView } from "../../../src/conversation/call-view.ts";
import { askedAgainText, callKey } from "../../../src/conversation/decide/asked-again.ts";
import { callLine, question, scene, search } from "../chats.ts";

const { exchange } = scene(`${question}\n🤖:[Model]\n\n${callLine("a")}\n${callLine("b")}\n`);
const [first, second] = exchange.answer?.steps[0]?.calls ?? [];
const [made, other] = [first?.call, second?.call];
if (!first || !made || !other) throw new Error("no calls");
const none = new Set<string>();

test("a call that was made again and again, and no other one like it", () => {
  const why = { repeated: new Set([callKey(made)]), forgotten: none };
  const text = askedAgainText(made, why);
  expect(text).toContain("again and again");
  expect(askedAgainText(other, why)).toBeNull();
  expect(callView(first, { tool: search, plan: null, askedAgain: text }).row).toContain(text);
});

test("a tool that was remembered until another program changed the chat", () => {
  const forgotten = new Set([other.name]);
  expect(askedAgainText(other, { repeated: none, forgotten })).toContain("another program");
  expect(askedAgainText(other, { repeated: none, forgotten: none })).toBeNull();
  expect(askedAgainText(null, { repeated: none, forgotten })).toBeNull();
});
