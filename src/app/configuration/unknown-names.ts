/** Finds names in the configuration that refer to nothing: most likely typing mistakes, whose values have no effect. */
import { findVendor, vendors } from "../../providers/vendors/vendors.ts";
import { ownValue } from "../../shared/json.ts";
import { nearestWord } from "../../shared/nearest.ts";
import type { Configuration } from "./options.ts";

/** Sentences without a full stop. They need the merged values: a vendor's address and key may be in two places. */
export function unknownNames(configuration: Configuration): readonly string[] {
  return [
    ...unknownAgent(configuration),
    ...unknownVendors(configuration),
    ...unknownPrices(configuration),
  ];
}

function unknownAgent({ agent, agents }: Configuration): readonly string[] {
  if (agent === null || Object.hasOwn(agents, agent)) return [];
  return [`agent: there is no agent ${shown(agent)} among agents${guess(agent, agents)}`];
}

function unknownVendors({ providers }: Configuration): readonly string[] {
  return Object.entries(providers).flatMap(([id, settings]) => {
    if (findVendor(id, settings) !== null) return [];
    const near = guess(id, Object.fromEntries(vendors));
    return [`providers.${id}: unknown vendor, so it needs a base_url${near}`];
  });
}

function unknownPrices({ prices, providers }: Configuration): readonly string[] {
  return Object.keys(prices).flatMap((model) => {
    const [vendor = "", ...rest] = model.split("/");
    const isKnown = vendor === "mock" || findVendor(vendor, ownValue(providers, vendor)) !== null;
    if (rest.length > 0 && isKnown) return [];
    const near = rest.length > 0 ? guess(vendor, Object.fromEntries(vendors)) : "";
    return [`prices.${model}: write VENDOR/MODEL, with a known vendor${near}`];
  });
}

const shown = (name: string) => JSON.stringify(name);

function guess(word: string, known: object): string {
  const nearest = nearestWord(word, Object.keys(known));
  return nearest === null ? "" : `; did you mean ${nearest}?`;
}
