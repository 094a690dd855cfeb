/** Context window and price of a model; the table is loaded when it is asked for first. */
import type { ModelName } from "../conversation/ports.ts";
import type { ModelFacts } from "../conversation/usage.ts";

export async function modelFactsFor(model: ModelName): Promise<ModelFacts> {
  const { modelFacts } = await import("../providers/prices/prices.ts");
  return modelFacts(model);
}
