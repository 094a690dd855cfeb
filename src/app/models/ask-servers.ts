/** Asks vendors' servers for their models: those whose API key is present, each once a day. */

import type { AllModels } from "../../providers/models.ts";
import { keySource } from "../../providers/vendors/key-sources.ts";
import { allVendors } from "../../providers/vendors/vendors.ts";
import type { ModelSources } from "../configuration/default-model.ts";
import type { ServedLists } from "../state/served-models.ts";
import { addressOf, listModels, type ModelList, type Served } from "./model-list.ts";

export interface ModelServers {
  readonly sources: ModelSources;
  readonly models: Pick<AllModels, "served">;
  readonly lists: ServedLists;
}

/** Milliseconds that a list may take; a slower server is asked again the next time. */
const waitMs = 4000;

/** What is known without asking any server. */
export function knownModels({ sources, lists }: ModelServers): Promise<ModelList> {
  return listModels(sources, { list: lists.current, problem: () => null });
}

/**
 * What is known once every server that can be asked has answered or timed out. `isWanted`: the user asked for the list,
 * so vendors are asked too that just failed, or whose key comes from a command, which may prompt the user.
 */
export async function askedModels(
  { sources, models, lists }: ModelServers,
  { isWanted }: { readonly isWanted: boolean },
): Promise<ModelList> {
  const problems = new Map<string, string>();
  const { providers } = sources.configuration;
  const open = allVendors(providers).filter((vendor) => {
    // A cloud platform has no such list.
    if (providers[vendor.id]?.sdk !== undefined) return false;
    const isCommand = typeof providers[vendor.id]?.api_key === "object";
    const hasKey = keySource(vendor.id, sources) !== null || !vendor.needsKey;
    const isKnown = lists.current(vendor.id, addressOf(vendor, sources)) !== null;
    return hasKey && !isKnown && (isWanted || (!isCommand && !lists.hasFailed(vendor.id)));
  });
  await Promise.all(
    open.map(async (vendor) => {
      const signal = AbortSignal.timeout(waitMs);
      const answer = await models.served(vendor.id, signal);
      if ("models" in answer) {
        const date = new Date().toISOString();
        lists.keep(vendor.id, { address: addressOf(vendor, sources), date, models: answer.models });
        return;
      }
      lists.failed(vendor.id);
      const late = `It did not list its models within ${waitMs / 1000} seconds.`;
      problems.set(vendor.id, signal.aborted ? late : answer.failure.message);
    }),
  );
  const served: Served = { list: lists.current, problem: (id) => problems.get(id) ?? null };
  return listModels(sources, served);
}
