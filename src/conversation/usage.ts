/** Tokens and money: sums, prices and their texts. Pure. */
import type { Usage } from "./ports.ts";

/** In US dollars per million tokens; an absent price equals `input`. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
}

/** What is known of a model besides its name. */
export interface ModelFacts {
  /** In tokens, input and output together; null: not known. */
  readonly contextWindow: number | null;
  /** The price of a request with an input of this length, in tokens; null: not known. */
  price(inputTokens: number): Price | null;
}

export const unknownFacts: ModelFacts = { contextWindow: null, price: () => null };

/** The usage of several requests. */
export interface UsageTotal {
  readonly usage: Usage;
  /** In US dollars; null as soon as the price of one of the requests is not known. */
  readonly cost: number | null;
  readonly requests: number;
}

export const nothingUsed: UsageTotal = { usage: { input: 0, output: 0 }, cost: 0, requests: 0 };

export interface LastRequest {
  readonly model: string;
  readonly usage: Usage;
  /** The context window of its model in tokens; null: not known. */
  readonly window: number | null;
}

/** The usage of a chat in this session; requests made before it are not known. */
export interface ChatUsage {
  /** All requests of the running answer, else of the last one. */
  readonly answer: UsageTotal;
  readonly chat: UsageTotal;
  readonly last: LastRequest | null;
}

export const noChatUsage: ChatUsage = { answer: nothingUsed, chat: nothingUsed, last: null };

/** Adds both. A count that only one of them has is taken as it is. */
function addUsage(sum: Usage, more: Usage): Usage {
  const add = (key: "cacheRead" | "cacheWrite" | "reasoning" | "cost") =>
    more[key] === undefined && sum[key] === undefined
      ? {}
      : { [key]: (sum[key] ?? 0) + (more[key] ?? 0) };
  return {
    input: sum.input + more.input,
    output: sum.output + more.output,
    ...add("cacheRead"),
    ...add("cacheWrite"),
    ...add("reasoning"),
    ...add("cost"),
  };
}

/** The cost in US dollars; null: the price is not known. `output` includes the tokens of thinking. */
export function costOf(usage: Usage, facts: ModelFacts): number | null {
  // The vendor's figure is no estimate.
  if (usage.cost !== undefined) return usage.cost;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  const price = facts.price(input);
  if (price === null) return null;
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  const read = cacheRead * (price.cache_read ?? price.input);
  const written = cacheWrite * (price.cache_write ?? price.input);
  return (plain * price.input + read + written + output * price.output) / 1_000_000;
}

/** Returns the total with one more request. */
export function addRequest(total: UsageTotal, usage: Usage, facts: ModelFacts): UsageTotal {
  const cost = costOf(usage, facts);
  return {
    usage: addUsage(total.usage, usage),
    cost: total.cost === null || cost === null ? null : total.cost + cost,
    requests: total.requests + 1,
  };
}

/** For the user: `1234 tokens in (800 cached), 56 out (20 thought), $0.0012`. */
export function usageText({ usage, cost }: UsageTotal): string {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  const cache = [cacheRead ? `${cacheRead} cached` : "", cacheWrite ? `${cacheWrite} written` : ""];
  const ofInput = cache.filter((words) => words !== "").join(", ");
  const money = cost === null ? "" : `, ${moneyText(cost)}`;
  return `${input} tokens in${brackets(ofInput)}, ${output} out${brackets(reasoning ? `${reasoning} thought` : "")}${money}`;
}

function brackets(words: string): string {
  return words === "" ? "" : ` (${words})`;
}

/** The share of the context window that a request and its answer took: 0 is nothing, 1 is all; null: not known. */
export function contextShare(last: LastRequest | null): number | null {
  if (last === null || last.window === null || last.window <= 0) return null;
  return (last.usage.input + last.usage.output) / last.window;
}

const meter = "▁▂▃▄▅▆▇█";

/** `context ▂ 24.1k/200k` for a statusline, where a `%` would mean something else; empty while it is not known. */
export function contextMeter(last: LastRequest | null): string {
  const share = contextShare(last);
  if (share === null || last?.window == null) return "";
  const step = Math.min(meter.length - 1, Math.floor(share * meter.length));
  const used = shortCount(last.usage.input + last.usage.output);
  return `context ${meter[step]} ${used}/${shortCount(last.window).replace(".0", "")}`;
}

/** As short as a statusline needs: `1.2k in, 56 out, $0.0012`. */
export function shortUsageText({ usage, cost }: UsageTotal): string {
  const money = cost === null ? "" : `, ${moneyText(cost)}`;
  return `${shortCount(usage.input)} in, ${shortCount(usage.output)} out${money}`;
}

export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Sums below one dollar get four decimals; smaller ones than these can show are `<$0.0001`. */
export function moneyText(dollars: number): string {
  if (dollars === 0 || dollars >= 1) return `$${dollars.toFixed(2)}`;
  return dollars < 0.0001 ? "<$0.0001" : `$${dollars.toFixed(4)}`;
}
