/** Known context windows and prices of models. Loaded on first use, because of its table. */

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
  /** Prices of requests with an input longer than `above` tokens, longest first; each applies to the whole request. */
  readonly tiers?: readonly (Price & { readonly above: number })[];
}

const models: ReadonlyMap<string, TableEntry> = new Map(Object.entries(table.models));

/** A date at the end of an id is a version of the model named before it. */
const version = /-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/**
 * The facts of a model from the table (models.dev, scripts/prices.mjs). `prices` are the user's own, keyed by
 * `provider/id`, and take precedence.
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

/** All of Anthropic's models have at least the default window. */
function fallbackWindow({ provider, id }: ModelName): number | null {
  return provider === "anthropic" ? anthropicLimits(id).context : null;
}
