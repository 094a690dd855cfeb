/** Finds where vendors' keys come from and which vendor can be used with them. It never handles a key itself. */

import type { ModelName } from "../../conversation/ports.ts";
import type { ProviderConfiguration } from "../../conversation/settings/vendor-settings.ts";
import { ownValue } from "../../shared/json.ts";
import { headerVariables, otherKeyVariables } from "./vendor.ts";
import { allVendors, findVendor, vendors } from "./vendors.ts";

/** The first known model of each vendor that needs a key, Anthropic's first; the default is the first with a key. */
const vendorDefaults: readonly ModelName[] = ["anthropic", ...vendors.keys()].flatMap(
  (provider) => {
    const vendor = vendors.get(provider);
    const [id] = vendor?.models ?? [];
    return id === undefined || vendor?.needsKey !== true ? [] : [{ provider, id }];
  },
);

/** The places to look for keys. */
export interface KeySources {
  readonly configuration: {
    readonly providers: Readonly<Record<string, ProviderConfiguration>>;
  };
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The default model of the first vendor with a key; null if there is no key. */
export function usableModel(sources: KeySources): ModelName | null {
  return vendorDefaults.find(({ provider }) => keySource(provider, sources) !== null) ?? null;
}

/** The environment variables that may hold vendors' keys, or headers with a key, whether they are set or not. */
export function keyVariables({ providers }: KeySources["configuration"]): ReadonlySet<string> {
  const keys = allVendors(providers).map(({ keyVariable }) => keyVariable);
  return new Set([...keys, ...Object.values(headerVariables), ...otherKeyVariables]);
}

/** The name of the place that each vendor's key comes from; null if it has none. */
export function keySources(sources: KeySources): readonly {
  readonly provider: string;
  readonly variable: string;
  readonly needsKey: boolean;
  readonly source: string | null;
}[] {
  return allVendors(sources.configuration.providers).map(({ id, keyVariable, needsKey }) => ({
    provider: id,
    variable: keyVariable,
    needsKey,
    source: keySource(id, sources),
  }));
}

/** The name of the place that a provider's key comes from; null if it has none. */
export function keySource(
  provider: string,
  { configuration, environment }: KeySources,
): string | null {
  const settings = ownValue(configuration.providers, provider);
  if (settings?.api_key !== undefined) return "the configuration";
  const variable = findVendor(provider, settings)?.keyVariable;
  return variable !== undefined && (environment[variable] ?? "").trim() !== ""
    ? `$${variable}`
    : null;
}
