import { describe, expect, test } from "vitest";
import {
  applyKey,
  grant,
  grantsOf,
  type KeyOutcome,
  type KeyPress,
} from "../../../src/conversation/decide/approval.ts";
import {
  lastCalls,
  nextStep,
  noPlans,
  openCalls,
} from "../../../src/conversation/decide/next-step.ts";
import { toolIdentity } from "../../../src/conversation/decide/remembered.ts";
import {
  emptySession,
  moveSession,
  type Session,
} from "../../../src/conversation/decide/session.ts";
import { defaultKeys } from "../../../src/conversation/keys.ts";
import type { ApprovalKey } from "../../../src/transcript/decisions.ts";
import { applyEdits } from "../../../src/transcript/edits/layout.ts";
import { parseLines } from "../../../src/transcript/parse.ts";
import type { CallBlock } from "../../../src/transcript/transcript.ts";
import {
  callLine,
  inTurn,
  knowing,
  lineOf,
  question,
  resultLines,
  type Scene,
  scene,
  tools,
} from "../chats.ts";

const answer = `${question}\n🤖:[Model]\n\nLet me see.\n\n`;
const two = `${answer}${callLine("a")}\n${callLine("b", "", "msft")}\n`;

/** Presses a key on the line that holds `part`, with everything on screen as it is. */
function press(
  { transcript, exchange }: Scene,
  key: ApprovalKey,
  part: string,
  session: Session = emptySession,
  change: Partial<KeyPress> = {},
): KeyOutcome {
  const shown = openCalls(transcript, exchange, session).map(({ call }) => ({
    line: call.line,
    text: call.lineText,
    tool: toolIdentity(tools.get(call.call?.name ?? "")),
    effect: "",
  }));
  const pressed = {
    key,
    cursorLine: lineOf(transcript, part),
    shown,
    reason: null,
    keys: defaultKeys,
    ...change,
  };
  return applyKey(transcript, exchange, session, pressed, {
    tools,
    plans: noPlans,
  });
}

function decidedBy(outcome: KeyOutcome) {
  if (outcome.type === "refused") throw new Error(outcome.message);
  return outcome;
}

function messageOf(outcome: KeyOutcome): string {
  if (outcome.type !== "refused") throw new Error("The key was not refused.");
  return outcome.message;
}

/** The text and the session after the edits, as a host does it: apply, move, read, grant. */
function carryOut(
  before: Scene,
  session: Session,
  outcome: KeyOutcome,
): Scene & { session: Session } {
  const { edits, grants } = decidedBy(outcome);
  const moved = [...edits]
    .sort((one, other) => other.start - one.start)
    .reduce(moveSession, session);
  const transcript = parseLines(applyEdits(before.transcript.lines, edits));
  const exchange = transcript.exchanges[before.exchange.index];
  if (exchange === undefined) throw new Error("The exchange is gone.");
  return { transcript, exchange, session: grant(moved, transcript, grants, tools) };
}

const marksOf = ({ transcript }: Scene) =>
  transcript.lines
    .filter((line) => /^\\?❓/.test(line))
    .map((line) => line.slice(0, line.indexOf("`")).trim());

describe("deciding calls with a key", () => {
  test.each([
    ["ya", ["❓:[ya]", "❓:[ya]"], "run-tools"],
    ["yA", ["❓:[yA]", "❓:[yA]"], "run-tools"],
    ["yo", ["❓:", "❓:[yo]"], "await-approval"],
    ["yO", ["❓:", "❓:[yO]"], "await-approval"],
    ["yn", ["❓:", "❓:[yn]"], "await-approval"],
    ["yN", ["❓:[yN]", "❓:[yN]"], "ask-model"],
  ] as const)("marks the right calls for %s on the second of two", (key, marks, next) => {
    const before = scene(two);
    const after = carryOut(before, emptySession, press(before, key, '"b"'));
    expect(marksOf(after)).toEqual(marks);
    expect(nextStep(after.transcript, after.exchange, after.session).type).toBe(next);
  });

  test("runs the calls once each is approved", () => {
    const before = scene(two);
    const first = carryOut(before, emptySession, press(before, "yo", '"a"'));
    const second = carryOut(first, first.session, press(first, "yO", '"b"', first.session));
    const step = nextStep(second.transcript, second.exchange, second.session);
    expect(step).toMatchObject({
      type: "run-tools",
      calls: [{ decision: "yo" }, { decision: "yO" }],
    });
  });

  test("moves an approval with its line when a call above is declined", () => {
    const before = scene(two);
    const first = carryOut(before, emptySession, press(before, "yo", '"b"'));
    const second = carryOut(
      first,
      first.session,
      press(first, "yn", '"a"', first.session, { reason: "not this one" }),
    );
    const step = nextStep(second.transcript, second.exchange, second.session);
    expect(step).toMatchObject({ type: "run-tools", calls: [{ call: { id: "b" } }] });
    const declined = second.exchange.answer?.steps[0]?.calls[0];
    expect(declined?.result?.status).toBe("declined");
    expect(declined?.result?.text).toContain("not this one");
  });

  test("skips calls that have a result with a key for all calls", () => {
    const text = `${answer}${callLine("a", "ya")}\n${resultLines("a")}\n${callLine("b")}\n`;
    const before = scene(text);
    const outcome = decidedBy(press(before, "yA", '"b"'));
    expect(outcome.decided.map(({ call }) => call?.id)).toEqual(["b"]);
    expect(marksOf(carryOut(before, emptySession, outcome))).toEqual(["❓:[ya]", "❓:[yA]"]);
  });

  test("approves a call that was reformatted by hand without changing its text", () => {
    const edited = two.replace('{"id":"a",', '{ "id": "a",  ');
    const before = scene(edited);
    const after = carryOut(before, emptySession, press(before, "ya", '"b"'));
    expect(nextStep(after.transcript, after.exchange, after.session).type).toBe("run-tools");
    expect(after.transcript.lines.join("\n")).toContain('{ "id": "a",  ');
  });
});

describe("deciding repaired, broken and interrupted calls", () => {
  const special = `${answer}${callLine("a")}\n${callLine("b")} (repaired)\n❓: \`{"id":"c"\n${callLine("d")} (salvaged)\n`;

  test.each(["ya", "yA", "yN"] as const)(
    "%s skips repaired and broken calls and says so",
    (key) => {
      const outcome = decidedBy(press(scene(special), key, '"a"'));
      expect(outcome.decided.map(({ call }) => call?.id)).toEqual(["a"]);
      expect(outcome.notices).toEqual([expect.stringContaining("3 calls were skipped")]);
    },
  );

  test("decides a repaired call only with a key on its own line", () => {
    const before = scene(special);
    for (const key of ["yo", "yO", "yn"] as const) {
      expect(decidedBy(press(before, key, '"b"')).decided.map(({ call }) => call?.id)).toEqual([
        "b",
      ]);
    }
    const bulk = decidedBy(press(before, "yN", '"b"')).decided.map(({ call }) => call?.id);
    expect(bulk).toEqual(["a", "b"]);
  });

  test("refuses a key for all calls if there is none to decide", () => {
    const only = scene(`${answer}${callLine("b")} (repaired)\n`);
    expect(messageOf(press(only, "ya", '"b"'))).toContain("on its own line");
  });

  test("refuses to approve a broken call, and turns it into text when it is declined", () => {
    const before = scene(special);
    expect(messageOf(press(before, "yo", '"c"'))).toContain("repair the line");
    const after = carryOut(before, emptySession, press(before, "yn", '"c"'));
    expect(after.transcript.lines).toContain('\\❓: `{"id":"c"');
  });

  test("approves an interrupted call again, even with the same key", () => {
    const before = scene(`${answer}${callLine("a", "ya")}\n`);
    const step = nextStep(before.transcript, before.exchange, emptySession);
    expect(step).toMatchObject({ type: "await-approval", open: [{ reason: "interrupted" }] });
    const after = carryOut(before, emptySession, press(before, "ya", '"a"'));
    expect(nextStep(after.transcript, after.exchange, after.session).type).toBe("run-tools");
  });

  test("cancels an interrupted call when it is declined", () => {
    const before = scene(`${answer}${callLine("a", "ya")}\n`);
    const after = carryOut(before, emptySession, press(before, "yn", '"a"'));
    expect(after.exchange.answer?.steps[0]?.calls[0]?.result?.status).toBe("cancelled");
    expect(nextStep(after.transcript, after.exchange, after.session).type).toBe("ask-model");
  });

  test("approves a call of a tool that is not offered, and says that it is not remembered", () => {
    const before = scene(two.replaceAll("web_search", "web_fetch"));
    expect(decidedBy(press(before, "yo", '"a"')).notices).toEqual([]);
    expect(decidedBy(press(before, "yA", '"a"')).notices).toEqual([
      'The tool "web_fetch" is not offered in this chat, so it is not remembered.',
    ]);
  });
});

describe("a key is refused", () => {
  const before = scene(two);
  const [a, b] = ['"a"', '"b"'].map((part) => {
    const line = lineOf(before.transcript, part);
    return { line, text: before.transcript.lines[line] ?? "", tool: "", effect: "" };
  }) as [KeyPress["shown"][number], KeyPress["shown"][number]];
  const spoiled = (shown: typeof a) => ({ ...shown, text: shown.text.replace("query", "quer") });

  test.each([
    ["yo", "another text was on screen", [spoiled(a)]],
    ["yo", "only another line was on screen", [b]],
    ["yo", "the line was elsewhere", [{ ...a, line: a.line - 1 }]],
    ["yn", "nothing was on screen", []],
    ["ya", "another text was on screen", [a, spoiled(b)]],
    ["ya", "another open call has appeared", [a]],
    ["yN", "an open call is gone", [a, b, { ...b, line: b.line + 1 }]],
    ["yA", "one was sent twice", [a, a]],
  ] as const)("for %s when %s", (key, _, shown) => {
    const outcome = press(before, key, '"a"', emptySession, { shown });
    expect(messageOf(outcome)).toMatch(/changed since they were shown.*Look at them/);
  });

  test("only for its own line when it decides one call", () => {
    const tool = toolIdentity(tools.get("web_search"));
    const outcome = press(before, "yo", '"a"', emptySession, { shown: [{ ...a, tool }] });
    expect(decidedBy(outcome).decided).toHaveLength(1);
  });

  test("on a line without a call", () => {
    expect(messageOf(press(before, "ya", "Let me see"))).toContain("no open call on this line");
  });

  test("on a call that has its result", () => {
    const done = scene(`${answer}${callLine("a", "ya")}\n${resultLines("a")}\n${callLine("b")}\n`);
    expect(messageOf(press(done, "yo", '"a"'))).toContain("already has its result");
  });

  test("on a call that is decided, or that runs", () => {
    const decided = scene(`${answer}${callLine("a", "yo")}\n${callLine("b")}\n`);
    const approved = knowing(decided.transcript, { '"a"': "approved" });
    expect(messageOf(press(decided, "yo", '"a"', approved))).toContain("already decided");
    const running = knowing(decided.transcript, { '"a"': "running" });
    expect(messageOf(press(decided, "yo", '"a"', running))).toContain("is running");
  });

  test("while the answer is being written", () => {
    const streaming = scene(`${two}\nMore\n<!-- parley:unfinished open -->\n`);
    const session = inTurn(emptySession, streaming);
    expect(messageOf(press(streaming, "ya", '"a"', session))).toContain("is not finished");
  });

  test("in an earlier exchange", () => {
    const text = `${two}\n${question}\n🤖:\n\nIt costs $911.\n`;
    const earlier = scene(text, 0);
    expect(messageOf(press(earlier, "ya", '"a"'))).toContain("Only calls of the last answer");
    const responded = { ...inTurn(emptySession, earlier), turn: null };
    expect(decidedBy(press(earlier, "ya", '"a"', responded)).decided).toHaveLength(2);
  });
});

describe("grantsOf", () => {
  const { exchange } = scene(two);
  const open = lastCalls(exchange);
  const decided = lastCalls(scene(two.replaceAll("❓:", "❓:[ya]")).exchange);
  const [a, b] = decided as [CallBlock, CallBlock];

  test("grants an approval that reads back as the call on screen", () => {
    const grants = grantsOf(exchange, decided, open);
    expect(grants).toEqual(decided.map(({ line, lineText }) => ({ line, text: lineText })));
  });

  test.each<[string, readonly CallBlock[]]>([
    ["another call", [{ ...a, json: b.json }, b]],
    ["a call that cannot be read", [{ ...a, broken: "This is no JSON." }, b]],
    ["no decision", [{ ...a, decision: null }, b]],
    ["a refusal", [{ ...a, decision: "yn" }, b]],
    ["fewer calls", [a]],
    ["more calls", [a, b, b]],
  ])("grants nothing when the approval reads back as %s", (_, after) => {
    expect(grantsOf(exchange, after, open)).toBeNull();
  });
});

describe("grant", () => {
  const before = scene(two);
  const outcome = decidedBy(press(before, "ya", '"a"'));
  const written = applyEdits(before.transcript.lines, outcome.edits);

  test("follows lines that moved in the meantime", () => {
    const transcript = parseLines(["typed above", ...written]);
    const { calls } = grant(emptySession, transcript, outcome.grants, tools);
    expect(calls.map(({ line, text, state }) => transcript.lines[line] === text && state)).toEqual([
      "approved",
      "approved",
    ]);
  });

  test("approves no line that changed in the meantime, or that moved and occurs twice", () => {
    const changed = written.map((line) => line.replace("msft", "aapl"));
    expect(grant(emptySession, parseLines(changed), outcome.grants, tools).calls).toHaveLength(1);
    const doubled = ["typed above", ...written, ...written.slice(-4)];
    expect(grant(emptySession, parseLines(doubled), outcome.grants, tools).calls).toEqual([]);
    const beside = ["typed above", ...written.flatMap((line) => [line, line])];
    expect(grant(emptySession, parseLines(beside), outcome.grants, tools).calls).toEqual([]);
  });

  test("removes the call from those that never started", () => {
    const transcript = parseLines(written);
    const [text = ""] = outcome.grants.map((line) => line.text);
    const before = { ...emptySession, unstarted: [text, "another line"] };
    expect(grant(before, transcript, outcome.grants, tools).unstarted).toEqual(["another line"]);
  });

  test("replaces the earlier state of the line", () => {
    const transcript = parseLines(written);
    const reopened = knowing(transcript, { '"a"': "reopened" });
    const { calls } = grant(reopened, transcript, outcome.grants, tools);
    expect(calls.map(({ state }) => state)).toEqual(["approved", "approved"]);
  });
});
