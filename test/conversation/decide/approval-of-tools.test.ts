/** An approval is for the tool that was on screen. */

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
] as const)(
  "%s is refused when the call was shown with another tool of the same name",
  (key, seen) => {
    expect(press(key, seen)).toMatchObject(refused);
  },
);

test("a key for one call ignores what was shown for the others", () => {
  expect(press("yo", [known, another])).toMatchObject({ type: "decided" });
});

test("a refusal is accepted whatever tool was shown", () => {
  expect(press("yn", [another, another])).toMatchObject({ type: "decided" });
});

test("a call that was shown without its tool must be shown again before approval", () => {
  expect(press("ya", [unknown, unknown])).toMatchObject(refused);
  expect(press("yo", [known, unknown])).toMatchObject({ type: "decided" });
});

test.each(["", "\r"])(
  "an approval is granted for the tool of its line, when the line ends with %j",
  (end) => {
    const approved = scene(`${question}\n🤖:[Model]\n\n${callLine("a", "ya")}${end}\n`).transcript;
    const line = lineOf(approved, '"a"');
    const anchor = { line, text: approved.lines[line] ?? "" };
    const { calls } = grant(emptySession, approved, [anchor], tools);
    expect(calls).toMatchObject([{ ...anchor, state: "approved", tool: known }]);
  },
);
