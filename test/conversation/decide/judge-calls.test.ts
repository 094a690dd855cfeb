import { describe, expect, test } from "vitest";
import { callView } from "../../../src/conversation/call-view.ts";
import {
  askedAgainText,
  countCalls,
  countingKey,
  type JudgeContext,
  judgeCalls,
  waitingKey,
} from "../../../src/conversation/decide/judge-calls.ts";
import { recordsFor } from "../../../src/conversation/decide/remembered.ts";
import { emptySession } from "../../../src/conversation/decide/session.ts";
import type { Tool } from "../../../src/conversation/ports.ts";
import type { ToolCall } from "../../../src/transcript/transcript.ts";
import {
  callLine,
  inTurn,
  question,
  resultLines,
  scene,
  search,
  toolCall,
  tools,
} from "../chats.ts";

const path = "/chats/a.md";
const plain = scene(`${question}\n🤖:\n`);

function context(change: Partial<JudgeContext> = {}): JudgeContext {
  return {
    tools,
    unlisted: [],
    transcript: plain.transcript,
    path,
    records: [],
    session: emptySession,
    judgement: () => ({ answer: "ask", changes: null }),
    find: null,
    validate: () => null,
    ...change,
  };
}

/** A chat in which a `yA` key marked a call, and the record that it left. */
function remembering(mark: "yA" | "yO" = "yA"): Partial<JudgeContext> {
  const { transcript, exchange } = scene(
    `${question}\n🤖:\n\n${callLine("a", mark)}\n${resultLines("a")}\n<!-- parley:unfinished open -->\n`,
  );
  const marked = exchange.answer?.steps.flatMap(({ calls }) => calls) ?? [];
  return { transcript, records: recordsFor(path, marked, tools, mark) };
}

const first = (calls: readonly ToolCall[], change: Partial<JudgeContext> = {}) =>
  judgeCalls(calls, context(change))[0];

describe("judgeCalls", () => {
  test("leaves a valid call undecided", () => {
    const call = toolCall("call_1");
    expect(first([call])).toEqual({ call, decision: null, result: null });
  });

  test("answers a call of an unknown tool with an error that lists the tools", () => {
    expect(first([toolCall("1", "x", "web_serach")])?.result).toEqual({
      status: "error",
      text: 'There is no tool "web_serach". The tools are: web_search.',
    });
    expect(first([toolCall("1")], { tools: new Map() })?.result?.text).toContain(
      "no tools are offered",
    );
  });

  test("distinguishes a tool of a server that is still starting from one that does not exist", () => {
    const server = { server: "git", toolsBegin: "mcp__git__", state: "starting", why: "" } as const;
    const told = (name: string) =>
      first([toolCall("1", "x", name)], { unlisted: [server] })?.result?.text;
    expect(told("mcp__git__log")).toMatch(
      /^MCP server git, which has this tool, cannot be used now/,
    );
    expect(told("mcp__got__log")).toMatch(/^There is no tool/);
  });

  test.each(["", "{", "[1]", '"text"', "null", '{"a":1}}'])(
    "answers the arguments %j, which are not an object, with an error",
    (argumentsText) => {
      const offered = first([{ id: "1", name: "web_search", arguments: argumentsText }]);
      expect(offered?.decision).toBeNull();
      expect(offered?.result?.status).toBe("error");
      expect(offered?.result?.text).toContain("not a JSON object");
    },
  );

  test.each([
    "12345678901234567890",
    "9007199254740993",
    "-9007199254740993",
    "1e400",
    "9".repeat(5000),
  ])("answers a number that JavaScript would change with an error (case %#)", (number) => {
    const args = `{"query":"9007199254740993 \\" 1","in":[{"id":${number}}]}`;
    const result = first([{ id: "1", name: "web_search", arguments: args }])?.result;
    expect(result?.status).toBe("error");
    expect(result?.text).toContain(`The number ${number.slice(0, 59)}`);
    expect(result?.text).toContain("so the tool was not run");
  });

  test.each(["9007199254740992", "-0", "0.12345678901234567890", "1e22", "10000000000000000"])(
    "accepts the number %s",
    (number) => {
      const args = `{"query":"12345678901234567891","in":${number}}`;
      expect(first([{ id: "1", name: "web_search", arguments: args }])?.result).toBeNull();
    },
  );

  test("answers arguments that do not fit the schema with the validator's message", () => {
    const validate = (tool: Tool, text: string) => `${tool.name}: ${text} has no query.`;
    expect(
      first([{ id: "1", name: "web_search", arguments: '{"q":1}' }], { validate })?.result,
    ).toEqual({
      status: "error",
      text: 'web_search: {"q":1} has no query.',
    });
  });

  test.each([
    ["that repeats a key", "web_search", '{"query":"a","query":"b"}', 'it repeats the key "query"'],
    ["without a name", "", '{"query":"a"}', "This call has no tool name"],
  ])(
    "makes a call %s an invalid call with an error, even when a rule allows it",
    (_, name, json, reason) => {
      const judged = first([{ id: "1", name, arguments: json }], {
        ...remembering(),
        judgement: () => ({ answer: "allow", changes: null }),
      });
      const raw = JSON.stringify({ name, arguments: json });
      expect(judged?.call).toMatchObject({
        id: "1",
        name: "invalid_tool_call",
        arguments: JSON.stringify({ raw }),
      });
      expect(judged).toMatchObject({
        decision: null,
        result: { status: "error", text: expect.stringContaining(reason) },
      });
    },
  );

  test.each(["yA", "yO"] as const)("marks a call of a remembered tool with %s", (mark) => {
    expect(first([toolCall("b", "msft")], remembering(mark))?.decision).toBe(mark);
  });

  test("ignores a remembered tool in another transcript or with a changed definition", () => {
    expect(
      first([toolCall("b")], { ...remembering(), path: "/chats/copy.md" })?.decision,
    ).toBeNull();
    expect(first([toolCall("b")], { ...remembering(), path: null })?.decision).toBeNull();
    const changed = new Map([[search.name, { ...search, description: "Searches and deletes." }]]);
    expect(first([toolCall("b")], { ...remembering(), tools: changed })?.decision).toBeNull();
  });

  test("follows allow and deny rules, and denies even a remembered tool", () => {
    expect(
      first([toolCall("b")], { judgement: () => ({ answer: "allow", changes: null }) })?.decision,
    ).toBe("auto");
    const denied = first([toolCall("b")], {
      ...remembering(),
      judgement: () => ({ answer: "deny", changes: null }),
    });
    expect(denied?.decision).toBeNull();
    expect(denied?.result?.status).toBe("declined");
  });

  test.each(["repaired", "salvaged"] as const)(
    "leaves a %s call undecided even when it is remembered or allowed, unless it is denied or invalid",
    (note) => {
      const call = { ...toolCall("b"), notes: [note] };
      const waits = { call, decision: null, result: null };
      expect(
        first([call], { ...remembering(), judgement: () => ({ answer: "allow", changes: null }) }),
      ).toEqual(waits);
      expect(
        first([call], { judgement: () => ({ answer: "deny", changes: null }) })?.result?.status,
      ).toBe("declined");
      expect(first([call], { validate: () => "It has no query." })?.result?.status).toBe("error");
    },
  );

  test("answers an unreadable call with its reason, even when a rule allows it", () => {
    const call = { ...toolCall("b"), unreadable: "This tool call cannot be read." };
    const offered = first([call], {
      ...remembering(),
      judgement: () => ({ answer: "allow", changes: null }),
    });
    expect(offered?.decision).toBeNull();
    expect(offered?.result).toEqual({ status: "error", text: "This tool call cannot be read." });
  });

  test("asks again about the same call from the third time in a turn", () => {
    const again = toolCall("b");
    const counted = inTurn(emptySession, plain, { [countingKey(again.name, again.arguments)]: 1 });
    const decisions = (change: Partial<JudgeContext>) =>
      judgeCalls(
        [again, again, toolCall("c", "msft"), again],
        context({ session: counted, ...change }),
      ).map(({ decision }) => decision);
    expect(decisions(remembering())).toEqual(["yA", null, "yA", null]);
    expect(decisions({ judgement: () => ({ answer: "allow", changes: null }) })).toEqual([
      "auto",
      null,
      "auto",
      null,
    ]);
  });

  test("keeps ids as sent, even equal ones, and gives an empty id a unique one", () => {
    const calls = ["", "x", "x", "", "call_2"].map((id) => toolCall(id));
    const ids = judgeCalls(calls, context()).map(({ call }) => call.id);
    expect(ids).toEqual(["call_1", "x", "x", "call_3", "call_2"]);
    const { transcript } = scene(
      `${question}\n🤖:\n\n${callLine("call_1", "ya")}\n${resultLines("call_1")}`,
    );
    expect(first([toolCall("")], { transcript })?.call.id).toBe("call_2");
  });
});

describe("countingKey and countCalls", () => {
  test("ignore the spacing and key order of arguments", () => {
    expect(countingKey("t", '{"a":1,"b":[1,2]}')).toBe(countingKey("t", '{ "b": [1, 2], "a": 1 }'));
    expect(countingKey("t", '{"a":1}')).not.toBe(countingKey("t", '{"a":"1"}'));
    expect(countingKey("t", '{"a":1}')).not.toBe(countingKey("u", '{"a":1}'));
    expect(countingKey("t", "{")).not.toBe(countingKey("t", "{{"));
  });

  test("count each call, and invalid answers in a row", () => {
    const turn = inTurn(emptySession, plain).turn;
    if (turn === null) throw new Error("no turn");
    const waits = (call: ReturnType<typeof toolCall>) => ({ call, decision: null, result: null });
    const fails = (call: ReturnType<typeof toolCall>) => ({
      ...waits(call),
      result: { status: "error", text: "no" } as const,
    });
    const first = countCalls(turn, [waits(toolCall("1")), waits(toolCall("2", "msft"))]);
    const counted = countCalls(first, [waits(toolCall("3"))]);
    expect(Object.values(counted.callCounts)).toEqual([2, 1]);
    expect(turn.callCounts).toEqual({});
    // Counted in a row, and only when none of the calls could run.
    const failed = countCalls(countCalls(turn, [fails(toolCall("1"))]), [fails(toolCall("2"))]);
    expect(failed.invalidAnswers).toBe(2);
    expect(countCalls(failed, []).invalidAnswers).toBe(2);
    expect(countCalls(failed, [fails(toolCall("3")), waits(toolCall("4"))]).invalidAnswers).toBe(0);
  });
});

const { exchange } = scene(`${question}\n🤖:[Model]\n\n${callLine("a")}\n${callLine("b")}\n`);
const [firstCall, second] = exchange.answer?.steps[0]?.calls ?? [];
const [made, other] = [firstCall?.call, second?.call];
if (!firstCall || !made || !other) throw new Error("no calls");
const none = new Set<string>();

test("askedAgainText explains a call that is repeated, but not a similar one", () => {
  const why = { repeated: new Set([waitingKey(made)]), forgotten: none };
  const text = askedAgainText(made, why);
  expect(text).toContain("again and again");
  expect(askedAgainText(other, why)).toBeNull();
  expect(callView(firstCall, { tool: search, plan: null, askedAgain: text }).row).toContain(text);
});

test("askedAgainText explains that another program's change ended remembering", () => {
  const forgotten = new Set([other.name]);
  expect(askedAgainText(other, { repeated: none, forgotten })).toContain("another program");
  expect(askedAgainText(other, { repeated: none, forgotten: none })).toBeNull();
  expect(askedAgainText(null, { repeated: none, forgotten })).toBeNull();
});
