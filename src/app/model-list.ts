/** The vendors and their models, what each can do, and which key is missing: for `parley models` and the picker. */

import type { ReasoningEffort } from "../conversation/ports.ts";
import { formatModelName, parseModelName } from "../conversation/settings/model-name.ts";
import type { WireApiName } from "../conversation/settings/vendor-settings.ts";
import { effortsOf, fits } from "../providers/vendors/compat.ts";
import type { Vendor } from "../providers/vendors/vendor.ts";
import { allVendors, apiOf } from "../providers/vendors/vendors.ts";
import { keySource, type ModelSources, offlineModel } from "./configuration/default-model.ts";

export interface ListedModel {
  /** `provider/id`. */
  readonly name: string;
  readonly api: WireApiName;
  /** Whether tools go by the API; else the model is told how to write calls as text. */
  readonly tools: boolean;
  readonly images: boolean;
  readonly temperature: boolean;
  /** The efforts that are taken, weakest first. */
  readonly efforts: readonly ReasoningEffort[];
}

export interface ListedVendor {
  readonly id: string;
  readonly label: string;
  readonly address: string;
  readonly key: {
    /** The environment variable that is looked at. */
    readonly variable: string;
    /** Where the key comes from, by name only; null: there is none. */
    readonly source: string | null;
    readonly needed: boolean;
  };
  /** Names for `server_tools`. */
  readonly serverTools: readonly string[];
  /** Those known by name: of the table, and of the configuration. */
  readonly models: readonly ListedModel[];
}

export interface ModelList {
  readonly vendors: readonly ListedVendor[];
  /** Models without a network. */
  readonly offline: readonly string[];
  /** Sentences about vendors of the configuration that cannot be asked. */
  readonly notices: readonly string[];
}

/** No network: nobody is asked which models there are. */
export function listModels(sources: ModelSources): ModelList {
  const { configuration, environment } = sources;
  const vendors = allVendors(configuration.providers);
  const known = new Set(vendors.map(({ id }) => id));
  const lost = Object.keys(configuration.providers).filter((id) => !known.has(id));
  return {
    vendors: vendors.map((vendor) => ({
      id: vendor.id,
      label: vendor.label,
      address:
        configuration.providers[vendor.id]?.base_url ||
        environment[vendor.baseUrlVariable]?.trim() ||
        vendor.baseUrl,
      key: {
        variable: vendor.keyVariable,
        source: keySource(vendor.id, sources),
        needed: vendor.needsKey,
      },
      serverTools: Object.keys(vendor.serverTools),
      models: modelIds(vendor, sources).map((id) => listed(vendor, id, sources)),
    })),
    offline: [formatModelName(offlineModel), "mock/file:PATH"],
    notices: lost.map(
      (id) =>
        `There is no vendor “${id}” in the table, so it needs an address: set providers.${id}.base_url.`,
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

function listed(vendor: Vendor, id: string, { configuration }: ModelSources): ListedModel {
  const { compat } = vendor;
  const model = { provider: vendor.id, id };
  return {
    name: formatModelName(model),
    api: apiOf(vendor, { model }, configuration.providers[vendor.id]),
    tools: fits(compat.nativeTools, id),
    images: fits(compat.vision, id),
    temperature: fits(compat.temperature, id),
    efforts: effortsOf(compat, id),
  };
}

/** The list for reading, a vendor's line above those of its models. */
export function modelLines({ vendors, offline, notices }: ModelList): readonly string[] {
  return [
    ...vendors.flatMap((vendor) => [
      `${vendor.id}: ${vendor.label}, ${keyText(vendor)}`,
      ...vendor.models.map((model) => `  ${model.name}: ${abilities(model)}`),
      ...(vendor.serverTools.length > 0
        ? [`  server_tools: ${vendor.serverTools.join(", ")}`]
        : []),
    ]),
    `offline: ${offline.join(", ")}`,
    ...notices,
  ];
}

function keyText({ id, key }: ListedVendor): string {
  if (key.source !== null) return `key from ${key.source}`;
  return key.needed
    ? `no key: set ${key.variable} or providers.${id}.api_key`
    : "asked without a key";
}

function abilities({ api, tools, images, temperature, efforts }: ListedModel): string {
  return [
    tools ? "tools" : "tools as text",
    ...(images ? ["images"] : []),
    ...(temperature ? ["temperature"] : []),
    ...(efforts.length > 0 ? [`reasoning_effort ${efforts.join(" ")}`] : []),
    ...(api === "openai-responses" ? ["Responses API"] : []),
  ].join(", ");
}

/**
 * What a picker offers: models that can be asked, then one of each other vendor with the key it wants. All of them
 * would be longer than a screen.
 */
export function modelChoices({ vendors }: ModelList): readonly string[] {
  const usable = vendors.filter(({ key }) => key.source !== null);
  const keyless = vendors.filter(({ key }) => key.source === null && !key.needed);
  const missing = vendors.filter(({ key }) => key.source === null && key.needed);
  const names = (vendor: ListedVendor) => vendor.models.map(({ name }) => name);
  return [
    ...usable.flatMap(names),
    formatModelName(offlineModel),
    ...keyless.flatMap(names),
    ...missing.flatMap((vendor) =>
      names(vendor)
        .slice(0, 1)
        .map((name) => `${name} (no key: ${vendor.key.variable})`),
    ),
  ];
}
