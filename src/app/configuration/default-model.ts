/** Which model is asked when neither the chat nor the configuration names one. */

import type { ModelName } from "../../conversation/ports.ts";
import type { ChatSettings } from "../../conversation/settings/chat-settings.ts";
import { type Configuration, defaults } from "../../conversation/settings/configuration.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import { findVendor, vendors } from "../../providers/vendors/vendors.ts";

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

export interface ModelSources {
  readonly configuration: Configuration;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The model of a chat: its own (the header's, else the configured one), else one whose key is there, else offline. */
export function chatModel(
  { model }: Pick<ChatSettings, "model">,
  sources: ModelSources,
): ModelName {
  const usable = vendorDefaults.find(({ provider }) => keySource(provider, sources) !== null);
  return model ?? usable ?? offlineModel;
}

/** The default model of the first vendor whose key is in the environment; null: no key is there. */
export function modelWithKey(
  environment: ModelSources["environment"] = process.env,
): string | null {
  const sources = { configuration: defaults, environment };
  const found = vendorDefaults.find(({ provider }) => keySource(provider, sources) !== null);
  return found === undefined ? null : formatModelName(found);
}

/** Where a provider's key comes from, by name only; null: there is none. */
export function keySource(
  provider: string,
  { configuration, environment }: ModelSources,
): string | null {
  const settings = configuration.providers[provider];
  if (settings?.api_key !== undefined) return "the configuration";
  const variable = findVendor(provider, settings)?.keyVariable;
  return variable !== undefined && (environment[variable] ?? "").trim() !== ""
    ? `$${variable}`
    : null;
}
