/** What is known of single models: context window and price. Loaded on first use, for its table. */

import type { ModelName } from "../../conversation/ports.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import type { ModelFacts, Price } from "../../conversation/usage.ts";
import { ownValue } from "../../shared/json.ts";
import { anthropicLimits } from "../request/model-limits.ts";
import table from "./prices.json" with { type: "json" };

interface TableEntry {
  /** Context window in tokens. */
  readonly context: number;
  readonly price?: Price;
  /** Of requests whose input is longer than `above` tokens; the longest first. They hold for the whole request. */
  readonly tiers?: readonly (Price & { readonly above: number })[];
}

const models: ReadonlyMap<string, TableEntry> = new Map(Object.entries(table.models));

/** A date at the end of an id names a version of the model before it. */
const version = /-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/**
 * The facts of a model from the table (models.dev, scripts/prices.mjs); `prices` are the person's own, by
 * `provider/id`, and win over it.
 */
export function modelFacts(model: ModelName, prices: Readonly<Record<string, Price>>): ModelFacts {
  const name = formatModelName(model);
  const own = ownValue(prices, name);
  const entry = models.get(name) ?? models.get(name.replace(version, ""));
  return {
    contextWindow: entry?.context ?? fallbackWindow(model),
    price(inputTokens) {
      if (own !== undefined) return own;
      const tier = entry?.tiers?.find(({ above }) => inputTokens > above);
      return tier ?? entry?.price ?? null;
    },
  };
}

/** All models of Anthropic's have a window of at least the default. */
function fallbackWindow({ provider, id }: ModelName): number | null {
  return provider === "anthropic" ? anthropicLimits(id).context : null;
}
