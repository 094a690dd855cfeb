/** Context window and price of a model; the table of prices is loaded when it is asked for first. */
import type { ModelName } from "../conversation/ports.ts";
import type { ModelFacts, Price } from "../conversation/usage.ts";

/** `prices` are the person's own, by `provider/id`, and win over the table. */
export async function modelFactsOf(
  model: ModelName,
  prices: Readonly<Record<string, Price>> = {},
): Promise<ModelFacts> {
  const { modelFacts } = await import("../providers/prices/prices.ts");
  return modelFacts(model, prices);
}
