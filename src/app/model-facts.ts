/** Context window and price of a model; the table of prices is loaded when it is asked for first. */
import type { ModelName } from "../conversation/ports.ts";
import type { ModelFacts } from "../conversation/usage.ts";
import type { Configuration } from "./configuration/options.ts";

export async function modelFactsOf(
  model: ModelName,
  prices: Configuration["prices"],
): Promise<ModelFacts> {
  const { modelFacts } = await import("../providers/prices/prices.ts");
  return modelFacts(model, prices);
}
