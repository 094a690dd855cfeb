/** Asks the servers of vendors which models they have: those whose key is there, each once a day. */

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

/** A list is waited for so long; who is slower is asked again the next time. */
const waitMs = 4000;

/** What is known without asking anybody. */
export function knownModels({ sources, lists }: ModelServers): Promise<ModelList> {
  return listModels(sources, { list: lists.current, problem: () => null });
}

/**
 * What is known once every server that can be asked has answered or was too slow. `isWanted`: the person asked for the
 * list, so those whose key a command gives are asked too, which may want a person's word, and those that failed just now.
 */
export async function askedModels(
  { sources, models, lists }: ModelServers,
  { isWanted }: { readonly isWanted: boolean },
): Promise<ModelList> {
  const problems = new Map<string, string>();
  const { providers } = sources.configuration;
  const open = allVendors(providers).filter((vendor) => {
    // A cloud has no such list.
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
      const late = `It did not say within ${waitMs / 1000} seconds which models it has.`;
      problems.set(vendor.id, signal.aborted ? late : answer.failure.message);
    }),
  );
  const served: Served = { list: lists.current, problem: (id) => problems.get(id) ?? null };
  return listModels(sources, served);
}
