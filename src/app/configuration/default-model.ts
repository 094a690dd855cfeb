/** Which model is asked when neither the chat nor the configuration names one. */

import type { ModelName } from "../../conversation/ports.ts";
import { type ChatSettings, chatSettings } from "../../conversation/settings/chat-settings.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import { headerVariables, otherKeyVariables } from "../../providers/vendors/vendor.ts";
import { allVendors, findVendor, vendors } from "../../providers/vendors/vendors.ts";
import { ownValue } from "../../shared/json.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import type { Configuration } from "./options.ts";

/** The first known model of each vendor with a key of its own, Anthropic's first; the first whose key is there is taken. */
const vendorDefaults: readonly ModelName[] = ["anthropic", ...vendors.keys()].flatMap(
  (provider) => {
    const vendor = vendors.get(provider);
    const [id] = vendor?.models ?? [];
    return id === undefined || vendor?.needsKey !== true ? [] : [{ provider, id }];
  },
);

/** Offline and free of charge. */
export const offlineModel: ModelName = { provider: "mock", id: "demo" };

/** Where keys are looked for. */
export interface KeySources {
  readonly configuration: Pick<Configuration, "providers">;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface ModelSources extends KeySources {
  readonly configuration: Configuration;
}

/** The model of a chat: its own (the header's, else the configured one), else one whose key is there, else offline. */
export function chatModel({ model }: Pick<ChatSettings, "model">, sources: KeySources): ModelName {
  return model ?? usableModel(sources) ?? offlineModel;
}

/** The default model of the first vendor whose key is in the environment; null: no key is there. */
export function modelWithKey(environment: KeySources["environment"] = process.env): string | null {
  const found = usableModel({ configuration: { providers: {} }, environment });
  return found === undefined ? null : formatModelName(found);
}

function usableModel(sources: KeySources): ModelName | undefined {
  return vendorDefaults.find(({ provider }) => keySource(provider, sources) !== null);
}

/** The model that a chat asks now. */
export function transcriptModel({ header }: Transcript, sources: ModelSources): ModelName {
  return chatModel(chatSettings(header, sources.configuration).settings, sources);
}

/** Says once that the offline model answers because there is no key; none where a chat chose it. */
export function createOfflineNotice() {
  let isTold = false;
  return (model: ModelName, settings: Pick<ChatSettings, "model">): readonly string[] => {
    const isFallback = settings.model === null && model === offlineModel;
    if (!isFallback || isTold) return [];
    isTold = true;
    return [
      "No API key is set, so the offline model mock/demo answers. :Parley models, or `parley models` in a shell, names the keys.",
    ];
  };
}

/** The variables of the environment that hold keys of vendors, or headers with one, whether they are set or not. */
export function keyVariables({ providers }: Pick<Configuration, "providers">): ReadonlySet<string> {
  const keys = allVendors(providers).map(({ keyVariable }) => keyVariable);
  return new Set([...keys, ...Object.values(headerVariables), ...otherKeyVariables]);
}

/** Where each vendor's key comes from, by name only; null: there is none. */
export function keySources(sources: ModelSources): readonly {
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
