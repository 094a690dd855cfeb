/** What may be spent without asking: one question before a limit is exceeded, and the effects of approval and refusal. */
import { describe, expect, it } from "vitest";
import type { StreamPart } from "../../../src/conversation/ports.ts";
import { respond } from "../../../src/conversation/turn/actions.ts";
import type { BudgetLimits, SpentToday } from "../../../src/conversation/turn/budget-limits.ts";
import { Chat, type ChatEvent, type PreparedRequest } from "../../../src/conversation/turn/chat.ts";
import type { ModelFacts } from "../../../src/conversation/usage.ts";
import { openMemoryChat } from "../memory-chat.ts";

const none: BudgetLimits = {
  max_cost: null,
  max_cost_per_day: null,
  max_input_tokens: null,
  max_input_tokens_per_day: null,
  large_reference: 50_000,
};
/** A dollar for a thousand tokens in, and the output for nothing. */
const priced: ModelFacts = { contextWindow: null, price: () => ({ input: 1000, output: 0 }) };
const vain = { id: "c", name: "nothing", arguments: "{}" };

interface Given {
  readonly limits: Partial<BudgetLimits>;
  readonly yes?: boolean;
  readonly today?: SpentToday;
  readonly facts?: ModelFacts;
  readonly references?: PreparedRequest["references"];
  /** Requests before the answer ends: each proposes a call that cannot run. */
  readonly rounds?: number;
}

function open({ limits, yes = false, today, facts = priced, references = [], rounds = 0 }: Given) {
  const base = openMemoryChat("💬: hello\n", []);
  const questions: string[] = [];
  const notices: string[] = [];
  let asked = 0;
  const chat = new Chat({
    ...base.chat.ports,
    async prepare(transcript, exchange, how) {
      const prepared = await base.chat.ports.prepare(transcript, exchange, how);
      return "kind" in prepared ? prepared : { ...prepared, facts, references };
    },
    async *stream(): AsyncGenerator<StreamPart> {
      asked += 1;
      yield { type: "text-delta", text: `Part ${asked}.` };
      if (asked <= rounds) yield { type: "tool-call", call: { ...vain, id: `c${asked}` } };
      yield { type: "usage", usage: { input: 1000, output: 10 } };
      yield { type: "finish", reason: asked <= rounds ? "tool-calls" : "stop", rawReason: "" };
    },
    budget: {
      limits: () => ({ ...none, ...limits }),
      today: async () => today ?? { cost: 0, input: 0 },
    },
    confirm: async (question) => {
      questions.push(question);
      return yes;
    },
    report: (event: ChatEvent) => {
      if (event.type === "notice") notices.push(event.message);
    },
  });
  const text = () => base.editor.lines.join("\n");
  return { chat, questions, notices, asked: () => asked, text };
}

describe("a limit of an answer", () => {
  it("asks nothing when it is not reached", async () => {
    const { chat, questions, asked } = open({ limits: { max_cost: 10, max_input_tokens: 1e6 } });
    expect(await respond(chat, 0)).toEqual({ type: "done" });
    expect([questions, asked()]).toEqual([[], 1]);
  });

  it("asks once with the amount before it is exceeded, and an approval allows the same amount again", async () => {
    const { chat, questions, asked } = open({ limits: { max_cost: 1.5 }, yes: true, rounds: 3 });
    expect(await respond(chat, 0)).toEqual({ type: "done" });
    expect(asked()).toBe(4);
    // A dollar each: before the second one (1 + about 0.1 fits) nothing, before those that pass 1.5 and 3.
    expect(questions).toHaveLength(2);
    expect(questions[0]).toMatch(
      /^Send this request to mock\/script\? A yes allows the same amount again\.\nmax_cost is \$1\.50: \$2\.00 for this answer so far, and this request is about \$0\.\d+\.$/,
    );
    expect(questions[1]).toContain("$3.00 for this answer so far");
  });

  it("does not ask again until the same amount is exceeded again", async () => {
    const { chat, questions } = open({ limits: { max_cost: 1.8 }, yes: true, rounds: 3 });
    await respond(chat, 0);
    // Of four requests the third passes 1.8, and none passes 3.6.
    expect(questions).toHaveLength(1);
  });

  it("ends the turn after a refusal, sends nothing and keeps the text", async () => {
    const { chat, asked, text } = open({ limits: { max_input_tokens: 1500 }, rounds: 3 });
    const end = await respond(chat, 0);
    expect(end).toMatchObject({ type: "limit", budget: ["max_input_tokens"] });
    expect("message" in end && end.message).toMatch(
      /max_input_tokens is 1\.5k tokens: 2\.0k tokens for this answer .*\nNothing was sent/,
    );
    expect(asked()).toBe(2);
    expect(text()).toContain("Part 2.");
    // Respond asks about the same answer again.
    expect(await respond(chat, 0)).toMatchObject({ type: "limit" });
    expect(asked()).toBe(2);
  });

  it("applies before the first request", async () => {
    const { chat, asked } = open({ limits: { max_input_tokens: 1 } });
    expect(await respond(chat, 0)).toMatchObject({ type: "limit" });
    expect(asked()).toBe(0);
  });

  it("reports an unknown price once and continues", async () => {
    const unknown = { contextWindow: null, price: () => null };
    const base = open({ limits: { max_cost: 1 }, facts: unknown, rounds: 2 });
    const request = { model: { provider: "mine", id: "m" } };
    const { prepare } = base.chat.ports;
    const chat = new Chat({
      ...base.chat.ports,
      async prepare(...given) {
        const prepared = await prepare(...given);
        if ("kind" in prepared) return prepared;
        return { ...prepared, model: "mine/m", request: { ...prepared.request, ...request } };
      },
    });
    expect(await respond(chat, 0)).toEqual({ type: "done" });
    expect(base.notices.filter((notice) => notice.includes("price of mine/m"))).toHaveLength(1);
  });
});

it("a daily limit counts the usage of other chats", async () => {
  const spent = { cost: 4.99, input: 10 };
  const { chat, questions } = open({ limits: { max_cost_per_day: 5 }, today: spent });
  expect(await respond(chat, 0)).toMatchObject({ type: "limit", budget: ["max_cost_per_day"] });
  expect(questions[0]).toMatch(/max_cost_per_day is \$5\.00: \$4\.99 today so far/);
  const tokens = open({ limits: { max_input_tokens_per_day: 11 }, today: spent, yes: true });
  expect(await respond(tokens.chat, 0)).toEqual({ type: "done" });
  expect(tokens.questions[0]).toContain("max_input_tokens_per_day is 11 tokens: 10 tokens today");
});

it("a large reference needs confirmation with its price, and small ones do not", async () => {
  const references = [
    { source: "@@./big.log@@", tokens: 120_000 },
    { source: "@@./a.ts@@", tokens: 50_000 },
  ];
  const { chat, questions, asked } = open({ limits: {}, references });
  expect(await respond(chat, 0)).toMatchObject({ type: "limit", budget: ["large_reference"] });
  expect(questions).toEqual([
    "Send this request to mock/script?\n@@./big.log@@ is about 120.0k tokens, $120.00 in each request to mock/script.",
  ]);
  expect(asked()).toBe(0);
  const allowed = open({ limits: {}, references, yes: true });
  expect(await respond(allowed.chat, 0)).toEqual({ type: "done" });
});
