/** The facts about a model: from the table, the configuration, and the list of its server. */

import type { ModelName } from "../../conversation/ports.ts";
import type { ModelFacts } from "../../conversation/usage.ts";
import { modelFactsOf } from "../../library/model-facts.ts";
import { allVendors } from "../../providers/vendors/vendors.ts";
import type { ModelServers } from "./ask-servers.ts";
import { addressOf } from "./model-list.ts";

/** Asks no server: its last list counts, however old it is. */
export async function servedFactsOf(
  { sources, lists }: Pick<ModelServers, "sources" | "lists">,
  model: ModelName,
): Promise<ModelFacts> {
  const { prices, providers } = sources.configuration;
  const vendor = allVendors(providers).find(({ id }) => id === model.provider);
  const list = vendor === undefined ? null : lists.last(vendor.id, addressOf(vendor, sources));
  const served = list?.models.find(({ id }) => id === model.id);
  return await modelFactsOf(model, prices, served);
}
