import { describe, expect, test } from "vitest";
import type { OpenCall } from "../../src/conversation/decide/next-step.ts";
import { defaultKeys } from "../../src/conversation/keys.ts";
import { promptText } from "../../src/conversation/waiting-text.ts";
import type { CallBlock } from "../../src/transcript/transcript.ts";

const call: CallBlock = {
  kind: "call",
  line: 4,
  lineText: "❓: `…`",
  call: { id: "call_1", name: "web_search", arguments: "{}" },
  json: "{}",
  decision: null,
  notes: [],
  broken: null,
  result: null,
  source: "parley",
  end: 5,
};

describe("promptText", () => {
  const open = (reason: OpenCall["reason"]): OpenCall => ({ call, reason });

  test("says how many calls wait and what the keys do", () => {
    expect(promptText([open("undecided"), open("undecided")], defaultKeys)).toBe(
      "2 calls wait: ya all · yo this · yA/yO remember · yn/yN no · K more",
    );
  });

  test("says how much runs without a key already", () => {
    expect(promptText([open("undecided")], defaultKeys, 2)).toMatch(/ · K more · 2 remembered$/);
    expect(promptText([], defaultKeys, 2)).toBe("");
  });

  test("says what is not known of interrupted calls, and what to do with broken lines", () => {
    expect(
      promptText([open("undecided"), open("interrupted"), open("broken")], defaultKeys),
    ).toMatch(
      /^1 call waits, 1 call was interrupted and may have run or not, 1 line cannot be read as a call: repair it or say no on it: ya /,
    );
  });

  test("other keys are named as they are typed, and nothing is said when nothing waits", () => {
    const keys = { ...defaultKeys, approve_all: ["<leader>a", "gy"], approve_one: [] };
    const text = promptText([open("undecided")], keys);
    expect(text).toContain("<leader>a/gy all");
    expect(text).not.toContain("yo");
    expect(promptText([], keys)).toBe("");
  });

  test("the commands are named when all keys were removed", () => {
    expect(promptText([open("undecided")], {})).toContain(
      ":Parley approve all · :Parley approve always · :Parley approve one · ",
    );
  });
});
