/** Context window and price of a model; the table of prices is loaded on first use. */
import type { ModelName } from "../conversation/ports.ts";
import type { ModelFacts, Price } from "../conversation/usage.ts";
import type { ServedModel } from "../providers/prices/served-models.ts";

/**
 * `prices` are the user's own, by `provider/id`, and override the table. The model's server knows its context window
 * best, since it may have been started with a smaller one.
 */
export async function modelFactsOf(
  model: ModelName,
  prices: Readonly<Record<string, Price>> = {},
  served?: ServedModel,
): Promise<ModelFacts> {
  const { modelFacts } = await import("../providers/prices/prices.ts");
  const facts = modelFacts(model, prices);
  return {
    contextWindow: served?.context ?? facts.contextWindow,
    price: (inputTokens) => facts.price(inputTokens) ?? served?.price ?? null,
  };
}
