/** A yes is for the tool that was on screen. */

import { expect, test } from "vitest";
import { applyKey, grant } from "../../../src/conversation/decide/approval.ts";
import { noPlans, openCalls } from "../../../src/conversation/decide/next-step.ts";
import { toolIdentity } from "../../../src/conversation/decide/remembered.ts";
import { emptySession } from "../../../src/conversation/decide/session.ts";
import { defaultKeys } from "../../../src/conversation/keys.ts";
import type { ApprovalKey } from "../../../src/transcript/decisions.ts";
import { callLine, lineOf, question, scene, search, tools } from "../chats.ts";

const { transcript, exchange } = scene(
  `${question}\n🤖:[Model]\n\n${callLine("a")}\n${callLine("b", "", "msft")}\n`,
);
const open = openCalls(transcript, exchange, emptySession);
const [known, another, unknown] = [toolIdentity(search), '["mock","another definition"]', ""];

/** Presses a key on the first call; `seen` is what was on screen with each. */
function press(key: ApprovalKey, seen: readonly [string, string]) {
  const shown = open.map(({ call }, index) => ({
    line: call.line,
    text: call.lineText,
    tool: seen[index] ?? "",
    effect: "",
  }));
  const pressed = { key, cursorLine: shown[0]?.line ?? 0, shown, reason: null, keys: defaultKeys };
  return applyKey(transcript, exchange, emptySession, pressed, { tools, plans: noPlans });
}

const refused = {
  type: "refused",
  message: expect.stringMatching(/web_search is not the one that was shown.*Look at it/),
};

test.each([
  ["yo", [another, known]],
  ["ya", [known, another]],
  ["yA", [another, known]],
] as const)("%s is refused when another tool was there under the name", (key, seen) => {
  expect(press(key, seen)).toMatchObject(refused);
});

test("what another call shows does not matter to a key of one", () => {
  expect(press("yo", [known, another])).toMatchObject({ type: "decided" });
});

test("a no is for whatever was there", () => {
  expect(press("yn", [another, another])).toMatchObject({ type: "decided" });
});

test("a call that was drawn without its tool is shown with it before a yes", () => {
  expect(press("ya", [unknown, unknown])).toMatchObject(refused);
  expect(press("yo", [known, unknown])).toMatchObject({ type: "decided" });
});

test.each(["", "\r"])("a yes is granted to the tool of its line, with %j behind it", (end) => {
  const approved = scene(`${question}\n🤖:[Model]\n\n${callLine("a", "ya")}${end}\n`).transcript;
  const line = lineOf(approved, '"a"');
  const anchor = { line, text: approved.lines[line] ?? "" };
  const { calls } = grant(emptySession, approved, [anchor], tools);
  expect(calls).toMatchObject([{ ...anchor, state: "approved", tool: known }]);
});
