/** Which model is asked when neither the chat nor the configuration names one. */
import type { Configuration } from "../conversation/configuration.ts";
import { parseModelName } from "../conversation/model-name.ts";
import type { ModelName } from "../conversation/types.ts";
import { vendors } from "../providers/vendors.ts";

/** In the order they are tried: the first whose key is there. */
const vendorDefaults = [
  { provider: "anthropic", id: "claude-sonnet-5-5" },
  { provider: "openai", id: "gpt-5.5" },
] as const satisfies readonly ModelName[];

/** Offline and free of charge. */
export const offlineModel: ModelName = { provider: "mock", id: "demo" };

/** The configured model, else one of a vendor whose key is there, else the offline one. */
export function defaultModel(
  configuration: Configuration,
  env: Readonly<Record<string, string | undefined>>,
): ModelName {
  const configured = configuration.model === null ? null : parseModelName(configuration.model);
  if (configured !== null) return configured;
  const usable = vendorDefaults.find(({ provider }) => {
    const variable = vendors.get(provider)?.keyVariable;
    const isInEnvironment = variable !== undefined && (env[variable] ?? "").trim() !== "";
    return isInEnvironment || configuration.providers[provider].api_key !== undefined;
  });
  return usable ?? offlineModel;
}
