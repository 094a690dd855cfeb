/** The vendors and their models, what each can do and costs, and which can be asked now. */

import type { ReasoningEffort } from "../../conversation/ports.ts";
import { formatModelName, parseModelName } from "../../conversation/settings/model-name.ts";
import type { WireApiName } from "../../conversation/settings/vendor-settings.ts";
import type { Price } from "../../conversation/usage.ts";
import { modelFactsOf } from "../../library/model-facts.ts";
import { isLocalAddress } from "../../net/local-address.ts";
import type { ServedModel } from "../../providers/prices/served-models.ts";
import { vendorAddress } from "../../providers/route.ts";
import { effortsOf, fits, takesSampling } from "../../providers/vendors/compat.ts";
import { keySource } from "../../providers/vendors/key-sources.ts";
import type { Vendor } from "../../providers/vendors/vendor.ts";
import { allVendors, apiOf } from "../../providers/vendors/vendors.ts";
import { type ModelSources, offlineModel } from "../configuration/default-model.ts";
import type { ServedList } from "../state/served-models.ts";

export interface ListedModel {
  /** `provider/id`. */
  readonly name: string;
  readonly api: WireApiName;
  /** Whether tools use the vendor's API; otherwise the model is told how to write calls as text. */
  readonly tools: boolean;
  readonly images: boolean;
  readonly temperature: boolean;
  /** The supported efforts, weakest first. */
  readonly efforts: readonly ReasoningEffort[];
  /** In tokens; null: unknown. */
  readonly context: number | null;
  /** In US dollars per million tokens; null: unknown. */
  readonly price: Price | null;
  /** Whether it can be asked now: as far as is known, its key is present and its server answers and has it. */
  readonly usable: boolean;
}

export interface ListedVendor {
  readonly id: string;
  readonly label: string;
  readonly address: string;
  readonly key: {
    /** The environment variable for the key. */
    readonly variable: string;
    /** Where the key comes from, by name only; null: there is no key. */
    readonly source: string | null;
    readonly needed: boolean;
  };
  /** It runs on this machine and costs nothing. */
  readonly isLocal: boolean;
  /** When its server last listed its models, as ISO 8601; null: it was not asked, or did not answer. */
  readonly asked: string | null;
  /** Why its server could not be asked just now, as a sentence; null: it could, or was not asked. */
  readonly problem: string | null;
  /** Names for `server_tools`. */
  readonly serverTools: readonly string[];
  /** The models known by name: from the table, the configuration and the vendor's server. */
  readonly models: readonly ListedModel[];
}

export interface ModelList {
  readonly vendors: readonly ListedVendor[];
  /** Models without a network. */
  readonly offline: readonly string[];
  /** Sentences about configured vendors that cannot be asked. */
  readonly notices: readonly string[];
}

/** Answers of servers: their lists by vendor, and why one could not be asked. */
export interface Served {
  list(vendor: string, address: string): ServedList | null;
  problem(vendor: string): string | null;
}

const nothingServed: Served = { list: () => null, problem: () => null };

/** Uses no network: no server is asked. */
export async function listModels(
  sources: ModelSources,
  served: Served = nothingServed,
): Promise<ModelList> {
  const { configuration } = sources;
  const vendors = allVendors(configuration.providers);
  const known = new Set(vendors.map(({ id }) => id));
  const lost = Object.keys(configuration.providers).filter((id) => !known.has(id));
  return {
    vendors: await Promise.all(vendors.map((vendor) => listedVendor(vendor, sources, served))),
    offline: [formatModelName(offlineModel), "mock/file:PATH"],
    notices: lost.map(
      (id) =>
        `There is no vendor “${id}” in the table, so it needs an address: set providers.${id}.base_url.`,
    ),
  };
}

/** The address of the vendor's API. */
export function addressOf(vendor: Vendor, { configuration, environment }: ModelSources): string {
  return vendorAddress(vendor, configuration.providers[vendor.id], environment);
}

async function listedVendor(
  vendor: Vendor,
  sources: ModelSources,
  served: Served,
): Promise<ListedVendor> {
  const address = addressOf(vendor, sources);
  const list = served.list(vendor.id, address);
  const problem = served.problem(vendor.id);
  const key = {
    variable: vendor.keyVariable,
    source: keySource(vendor.id, sources),
    needed: vendor.needsKey,
  };
  const isReachable = problem === null && (key.source !== null || !key.needed);
  const known = new Map(list?.models.map((model) => [model.id, model]));
  const ids = new Set([...modelIds(vendor, sources), ...known.keys()]);
  return {
    id: vendor.id,
    label: vendor.label,
    address,
    key,
    isLocal: !vendor.needsKey && isLocalAddress(address),
    asked: list?.date ?? null,
    problem,
    serverTools: Object.keys(vendor.serverTools),
    models: await Promise.all(
      [...ids].map(async (id) => ({
        ...(await listed(vendor, id, sources, known.get(id))),
        // A vendor accepts more names than it lists; the user's own server does not.
        usable: isReachable && (list === null || known.has(id) || vendor.needsKey),
      })),
    ),
  };
}

function modelIds(vendor: Vendor, { configuration }: ModelSources): readonly string[] {
  const agents = Object.values(configuration.agents).map(({ model }) => model);
  const named = [configuration.model, ...Object.keys(configuration.models), ...agents];
  const own = named.flatMap((name) => {
    const model = typeof name === "string" ? parseModelName(name) : null;
    return model?.provider === vendor.id ? [model.id] : [];
  });
  return [...new Set([...vendor.models, ...own])];
}

async function listed(
  vendor: Vendor,
  id: string,
  { configuration }: ModelSources,
  served: ServedModel | undefined,
): Promise<Omit<ListedModel, "usable">> {
  const { compat } = vendor;
  const model = { provider: vendor.id, id };
  const facts = await modelFactsOf(model, configuration.prices, served);
  return {
    name: formatModelName(model),
    api: apiOf(vendor, { model }, configuration.providers[vendor.id]),
    tools: served?.tools ?? fits(compat.nativeTools, id),
    images: served?.images ?? fits(compat.vision, id),
    temperature: takesSampling(compat, "temperature", id),
    efforts: effortsOf(compat, id),
    context: facts.contextWindow,
    price: facts.price(0),
  };
}
