/**
 * Asks one question with the figures before a request costs more than the user allowed or sends an unusually long text.
 */

import { unlessAborted } from "../../shared/abort.ts";
import { visible } from "../../shared/visible.ts";
import { estimateSize } from "../request/request-size.ts";
import { type ModelFacts, moneyText, shortCount } from "../usage.ts";
import type { BudgetLimits, BudgetName, BudgetPort } from "./budget-limits.ts";
import type { Chat, PreparedRequest, TurnEnd } from "./chat.ts";

export interface Exceeded {
  readonly name: BudgetName;
  /** The total with this request, as a multiple of the limit. */
  readonly times: number;
  readonly sentence: string;
}

/** Output tokens assumed for a request that does not limit them. */
const usualOutput = 1000;

/** Returns what the request would exceed, and warns about an unknown price. */
export async function exceededBudget(
  chat: Chat,
  prepared: PreparedRequest,
): Promise<readonly Exceeded[]> {
  const { budget } = chat.ports;
  if (budget === undefined) return [];
  const limits = budget.limits();
  warnOfUnknownPrice(chat, prepared, limits);
  return exceededBy(chat, prepared, limits, budget);
}

/** Asks whether to send the request all the same. Returns null, or how the turn ends when the user declines. */
export async function askBudget(
  chat: Chat,
  prepared: PreparedRequest,
  exceeded: readonly Exceeded[],
  signal: AbortSignal,
): Promise<TurnEnd | null> {
  const figures = exceeded.map(({ sentence }) => sentence).join("\n");
  const again = exceeded.some(({ name }) => name !== "large_reference")
    ? " A yes allows the same amount again."
    : "";
  chat.setPhase({ type: "preparing", text: "waiting for your approval of the cost" });
  const answer = await unlessAborted(
    chat.ports.confirm(`Send this request to ${prepared.model}?${again}\n${figures}`),
    signal,
  );
  if (answer === null) return { type: "stopped" };
  if (answer) {
    for (const { name, times } of exceeded) chat.allowed.set(name, Math.ceil(times));
    return null;
  }
  return {
    type: "limit",
    message: `${figures}\nNothing was sent; everything so far is in the text. Respond again to retry.`,
    budget: exceeded.map(({ name }) => name),
  };
}

/** Whether a request that no turn waits for may be sent without asking. */
export async function fitsBudget(
  chat: Chat,
  request: Pick<PreparedRequest, "request" | "facts" | "model">,
): Promise<boolean> {
  const { budget } = chat.ports;
  if (budget === undefined) return true;
  const size = estimateSize(request.request);
  const asked = { ...request, size, references: [] };
  const exceeded = await exceededBy(chat, asked, budget.limits(), budget);
  return exceeded.length === 0;
}

async function exceededBy(
  { usage, allowed }: Chat,
  {
    request,
    size: { all: input },
    facts,
    model,
    references,
  }: Pick<PreparedRequest, "request" | "size" | "facts" | "model" | "references">,
  limits: BudgetLimits,
  budget: BudgetPort,
): Promise<readonly Exceeded[]> {
  const output = Math.min(request.maxOutputTokens ?? usualOutput, usualOutput);
  const cost = estimatedCost(facts, input, output);
  const isDaily = limits.max_cost_per_day !== null || limits.max_input_tokens_per_day !== null;
  const today = isDaily ? await budget.today() : { cost: 0, input: 0 };
  const over = (name: BudgetName, before: number | null, more: number | null, text: Figure) => {
    const limit = limits[name];
    if (limit === null || before === null || more === null) return [];
    const times = (before + more) / limit;
    if (times <= (allowed.get(name) ?? 1)) return [];
    const when = name.endsWith("_per_day") ? "today" : "for this answer";
    const sentence = `${name} is ${text(limit)}: ${text(before)} ${when} so far, and this request is about ${text(more)}.`;
    return [{ name, times, sentence }];
  };
  const tokens: Figure = (count) => `${shortCount(Math.round(count))} tokens`;
  const long = references.filter((reference) => reference.tokens > limits.large_reference);
  return [
    ...over("max_cost", usage.answer.cost, cost, moneyText),
    ...over("max_cost_per_day", today.cost, cost, moneyText),
    ...over("max_input_tokens", usage.answer.usage.input, input, tokens),
    ...over("max_input_tokens_per_day", today.input, input, tokens),
    ...long.map(({ source, tokens: count }) => {
      const price = estimatedCost(facts, count, 0);
      const money = price === null ? "" : `, ${moneyText(price)} in each request to ${model}`;
      const sentence = `${visible(source)} is about ${tokens(count)}${money}.`;
      return { name: "large_reference" as const, times: 1, sentence };
    }),
  ];
}

type Figure = (value: number) => string;

/** In US dollars; null: the price is not known. Savings by a cache cannot be known in advance. */
function estimatedCost(facts: ModelFacts, input: number, output: number): number | null {
  const price = facts.price(input);
  return price && (input * price.input + output * price.output) / 1_000_000;
}

function warnOfUnknownPrice(
  chat: Chat,
  { request, facts, model }: PreparedRequest,
  { max_cost, max_cost_per_day }: BudgetLimits,
): void {
  if (max_cost === null && max_cost_per_day === null) return;
  if (request.model.provider === "mock" || facts.price(0) !== null) return;
  chat.warnOnce(
    `The price of ${model} is not known, so max_cost does not count its requests; add it to prices in the configuration, or use max_input_tokens, which works for every model.`,
  );
}
