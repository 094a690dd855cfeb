/** Where the keys of vendors come from, and which vendor can be asked with those that are there. Never a key itself. */

import type { ModelName } from "../../conversation/ports.ts";
import type { ProviderConfiguration } from "../../conversation/settings/vendor-settings.ts";
import { ownValue } from "../../shared/json.ts";
import { headerVariables, otherKeyVariables } from "./vendor.ts";
import { allVendors, findVendor, vendors } from "./vendors.ts";

/** The first known model of each vendor with a key of its own, Anthropic's first; the first whose key is there is taken. */
const vendorDefaults: readonly ModelName[] = ["anthropic", ...vendors.keys()].flatMap(
  (provider) => {
    const vendor = vendors.get(provider);
    const [id] = vendor?.models ?? [];
    return id === undefined || vendor?.needsKey !== true ? [] : [{ provider, id }];
  },
);

/** Where keys are looked for. */
export interface KeySources {
  readonly configuration: {
    readonly providers: Readonly<Record<string, ProviderConfiguration>>;
  };
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The usual model of the first vendor whose key is there; null: no key is. */
export function usableModel(sources: KeySources): ModelName | null {
  return vendorDefaults.find(({ provider }) => keySource(provider, sources) !== null) ?? null;
}

/** The variables of the environment that hold keys of vendors, or headers with one, whether they are set or not. */
export function keyVariables({ providers }: KeySources["configuration"]): ReadonlySet<string> {
  const keys = allVendors(providers).map(({ keyVariable }) => keyVariable);
  return new Set([...keys, ...Object.values(headerVariables), ...otherKeyVariables]);
}

/** Where each vendor's key comes from, by name only; null: there is none. */
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

/** Where a provider's key comes from, by name only; null: there is none. */
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
