import { expect, test } from "vitest";
import { applyKey, grant } from "../../../src/conversation/decide/approval.ts";
import { nextStep, noPlans, openCalls } from "../../../src/conversation/decide/next-step.ts";
import { toolIdentity } from "../../../src/conversation/decide/remembered.ts";
import { emptySession, moveSession } from "../../../src/conversation/decide/session.ts";
import { defaultKeys } from "../../../src/conversation/keys.ts";
import { type ApprovalKey, decisionRows } from "../../../src/transcript/decisions.ts";
import { applyEdits } from "../../../src/transcript/edits/layout.ts";
import { parseLines, parseTranscript } from "../../../src/transcript/parse.ts";
import fc from "../../support/property.ts";
import { anyChat } from "../any-chat.ts";
import { tools } from "../chats.ts";

const anyKey = fc.constantFrom<ApprovalKey>("ya", "yA", "yo", "yO", "yn", "yN");

test("an approval runs only the calls that it decided, and changes only their lines", () => {
  let granted = 0;
  fc.assert(
    fc.property(anyChat, anyKey, fc.nat(), (text, key, at) => {
      const before = parseTranscript(text);
      for (const exchange of before.exchanges) {
        const open = openCalls(before, exchange, emptySession);
        const target = open[at % Math.max(1, open.length)];
        if (target === undefined) continue;
        const shown = open.map(({ call }) => ({
          line: call.line,
          text: call.lineText,
          tool: toolIdentity(tools.get(call.call?.name ?? "")),
          effect: "",
        }));
        const press = { key, cursorLine: target.call.line, shown, reason: null, keys: defaultKeys };
        const outcome = applyKey(before, exchange, emptySession, press, {
          tools,
          plans: noPlans,
        });
        if (outcome.type === "refused") continue;

        const after = parseLines(applyEdits(before.lines, outcome.edits));
        const moved = outcome.edits.toReversed().reduce(moveSession, emptySession);
        const session = grant(moved, after, outcome.grants, tools);
        const isYes = decisionRows[key].answer === "yes";
        expect(session.calls).toHaveLength(isYes ? outcome.decided.length : 0);
        const lines = session.calls.map(({ line }) => line);
        if (isYes) {
          expect(lines).toEqual(outcome.decided.map(({ line }) => line));
          const others = before.lines.filter((_, line) => !lines.includes(line));
          expect(after.lines.filter((_, line) => !lines.includes(line))).toEqual(others);
        }
        const now = after.exchanges[exchange.index];
        const step = now && nextStep(after, now, session);
        if (step?.type === "run-tools") {
          granted += 1;
          expect(step.calls.map(({ line }) => line)).toEqual(lines);
        }
      }
    }),
    { numRuns: 2000 },
  );
  expect(granted).toBeGreaterThan(0);
});
