import { describe, expect, test } from "vitest";
import type { OpenCall } from "../../src/conversation/decide/next-step.ts";
import { defaultKeys, type OwnKeys } from "../../src/conversation/keys.ts";
import { promptTexts } from "../../src/conversation/waiting-text.ts";
import type { CallBlock } from "../../src/transcript/transcript.ts";
import fc from "../support/property.ts";

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

describe("promptTexts", () => {
  const open = (reason: OpenCall["reason"]): OpenCall => ({ call, reason });
  const promptText = (...given: Parameters<typeof promptTexts>) => promptTexts(...given)[0];

  test("says how many calls wait and what the keys do", () => {
    expect(promptText([open("undecided"), open("undecided")], defaultKeys)).toBe(
      "2 calls wait: ya all · yo this · yA/yO remember · yn/yN no · K more",
    );
  });

  test("says how many approvals are remembered", () => {
    expect(promptText([open("undecided")], defaultKeys, 2)).toMatch(/ · K more · 2 remembered$/);
    expect(promptText([], defaultKeys, 2)).toBeUndefined();
  });

  test("says that interrupted calls may have run, and what to do with broken lines", () => {
    expect(
      promptText([open("undecided"), open("interrupted"), open("broken")], defaultKeys),
    ).toMatch(
      /^1 call waits, 1 call was interrupted and may or may not have run, 1 line cannot be read as a call: repair or decline it: ya /,
    );
  });

  test("shows no key for all calls when each is decided on its own line", () => {
    const salvaged: OpenCall = {
      call: { ...call, notes: ["salvaged"] },
      reason: "undecided",
    };
    const broken: OpenCall = { call: { ...call, broken: "It is no JSON." }, reason: "broken" };
    expect(promptText([salvaged], defaultKeys)).toBe(
      "1 call waits: yo this · yO remember this · yn no · K more",
    );
    expect(promptText([salvaged, broken], defaultKeys)).not.toMatch(/y[aAN]/);
    expect(promptText([broken], defaultKeys)).toMatch(/: yn no · K more$/);
    expect(promptText([salvaged, open("undecided")], defaultKeys)).toContain(": ya all · yo this");
    const others = { approve_all: ["ya"], deny_all: ["yN"] };
    expect(promptText([salvaged], others)).toMatch(
      /: :Parley approve one · .* · :Parley deny one$/,
    );
  });

  test("shows configured keys as they are typed, and returns nothing when no call waits", () => {
    const keys = { ...defaultKeys, approve_all: ["<leader>a", "gy"], approve_one: [] };
    const text = promptText([open("undecided")], keys);
    expect(text).toContain("<leader>a/gy all");
    expect(text).not.toContain("yo");
    expect(promptText([], keys)).toBeUndefined();
  });

  test("shows the commands when all keys were removed", () => {
    expect(promptText([open("undecided")], {})).toContain(
      ":Parley approve all · :Parley approve always · :Parley approve one · ",
    );
  });

  test("drops the least important parts first", () => {
    expect(promptTexts([open("undecided"), open("interrupted")], defaultKeys, 2)).toEqual([
      "1 call waits, 1 call was interrupted and may or may not have run: ya all · yo this · yA/yO remember · yn/yN no · K more · 2 remembered",
      "1 call waits, 1 call was interrupted and may or may not have run: ya all · yo this · yA/yO remember · yn/yN no · K more",
      "1 call waits, 1 call was interrupted and may or may not have run: ya all · yo this · yA/yO remember · yn/yN no",
      "2 wait, 1 interrupted: ya all · yo this · yA/yO remember · yn/yN no",
      "2 wait, 1 interrupted: ya all · yo this · yn/yN no",
      "2 wait: ya all · yo this · yn/yN no",
    ]);
  });

  test("uses the singular for one call", () => {
    const [, , , short, , bare] = promptTexts([open("interrupted")], defaultKeys, 2);
    expect(short).toMatch(/^1 waits, interrupted: ya all/);
    expect(bare).toMatch(/^1 waits: ya all/);
  });

  const reasons = ["undecided", "interrupted", "changed", "broken"] as const;
  const mixed = fc
    .tuple(...reasons.map(() => fc.integer({ min: 0, max: 120 })))
    .map((counts) =>
      counts.flatMap((count, at) => Array.from({ length: count }, () => open(reasons[at]!))),
    )
    .filter((calls) => calls.length > 0);
  const remembered = fc.integer({ min: 0, max: 100_000 });
  /** What a window of `width` cells shows, as `wrap.fitting` chooses it. */
  const shownIn = (width: number, texts: readonly string[]) =>
    texts.find((text) => text.length <= width);

  test("fits windows of 40 to 78 columns with the count and the keys to approve and decline", () => {
    fc.assert(
      fc.property(mixed, remembered, fc.integer({ min: 40, max: 78 }), (calls, count, width) => {
        const text = shownIn(width, promptTexts(calls, defaultKeys, count));
        expect(text).toMatch(/^\d+ .*\bya all · yo this · .*yn\/yN no\b/);
        expect(Number.parseInt(text ?? "", 10)).toBeLessThanOrEqual(calls.length);
      }),
    );
  });

  const ownKeys: fc.Arbitrary<OwnKeys> = fc.record(
    Object.fromEntries(
      Object.keys(defaultKeys).map((name) => [
        name,
        fc.array(fc.constantFrom("x", "gy", "<C-g>a", "<leader>aa"), { maxLength: 3 }),
      ]),
    ),
  );

  test("makes each text shorter than the previous one, and keeps a key or command to approve and decline", () => {
    fc.assert(
      fc.property(mixed, remembered, ownKeys, (calls, count, keys) => {
        const texts = promptTexts(calls, keys, count);
        const lengths = texts.map(({ length }) => length);
        expect(lengths).toEqual([...new Set(lengths)].sort((a, b) => b - a));
        const has = (names: readonly string[]) => names.some((name) => keys[name]?.length);
        const yes = ["approve_all", "approve_one", "approve_always", "approve_always_one"];
        const no = ["deny_all", "deny_one"];
        for (const text of texts) {
          if (has(yes)) expect(text).toMatch(/ (all|this|remember)\b/);
          if (has(no)) expect(text).toMatch(/ no\b/);
          if (!has(yes) && !has(no)) expect(text).toMatch(/:Parley approve .*:Parley deny /);
        }
      }),
    );
  });
});
