/**
 * The vendor table: who offers models, through which wire API, and how each differs. A new vendor with a known API
 * needs a row and a test; a new API needs files of its own and a row in wire-apis.ts.
 */
import type { ModelRequest } from "../../conversation/ports.ts";
import type {
  ProviderConfiguration,
  WireApiName,
} from "../../conversation/settings/vendor-settings.ts";
import { type Compat, configuredCompat, fits } from "./compat.ts";
import { serverToolName, type Vendor } from "./vendor.ts";
import { anthropic, claudeInCloud, compatible, openai } from "./vendor-rows.ts";
import { compatibleVendors } from "./vendor-rows-compatible.ts";

/** By id, in display order. The offline models (`mock/…`) are not a vendor: they have no address and no key. */
export const vendors: ReadonlyMap<string, Vendor> = new Map(
  [openai, anthropic, ...compatibleVendors].map((vendor) => [vendor.id, vendor]),
);

/** A vendor with its configuration; null if it is not in the table and has no address. */
export function findVendor(id: string, settings: ProviderConfiguration = {}): Vendor | null {
  const row = vendors.get(id) ?? otherVendor(id, settings);
  if (row === null) return null;
  return settings.compat === undefined
    ? row
    : { ...row, compat: configuredCompat(row.compat, settings.compat) };
}

/** The vendors of the table and the additional ones of the configuration. */
export function allVendors(
  providers: Readonly<Record<string, ProviderConfiguration>>,
): readonly Vendor[] {
  const ids = new Set([...vendors.keys(), ...Object.keys(providers)]);
  return [...ids].flatMap((id) => findVendor(id, providers[id]) ?? []);
}

/** Gemini may be behind such a server, so signatures that it sends are sent back. */
const ownServer: Compat = {
  ...compatible,
  reasoning: { ...compatible.reasoning, echo: "extra_content" },
};

/** A server that the user configures. */
function otherVendor(
  id: string,
  { base_url, api, sdk, region }: ProviderConfiguration,
): Vendor | null {
  if (sdk !== undefined) return claudeInCloud(id, sdk, region);
  if (base_url === undefined || base_url === "") return null;
  const name = id.toUpperCase().replace(/[^A-Z0-9]/g, "_");
  return {
    id,
    label: id,
    apis: [api ?? "openai-chat"],
    baseUrl: base_url,
    keyVariable: `${name}_API_KEY`,
    baseUrlVariable: `${name}_BASE_URL`,
    needsKey: false,
    compat: api === "anthropic-messages" ? anthropic.compat : ownServer,
    serverTools: {},
    models: [],
  };
}

/**
 * The API for a request: the configured one, else the one that its model or its server tools need, else that of the
 * vendor's own address, else the vendor's first.
 */
export function apiOf(
  vendor: Vendor,
  request: Pick<ModelRequest, "model" | "serverTools">,
  settings: Pick<ProviderConfiguration, "api" | "base_url"> = {},
): WireApiName {
  const { apis, apiOfModels = [], serverTools } = vendor;
  if (settings.api !== undefined) return settings.api;
  const ofModel = apiOfModels.find(([models]) => models.test(request.model.id))?.[1];
  const wanted = (request.serverTools ?? [])
    .map(serverToolName)
    .flatMap((name) => (Object.hasOwn(serverTools, name) ? [serverTools[name]?.api] : []));
  const ofTool = wanted.find((api) => api !== undefined);
  return ofModel ?? ofTool ?? apiOfAddress(vendor, request.model.id, settings) ?? apis[0];
}

function apiOfAddress(
  { ownAddress, baseUrl }: Vendor,
  modelId: string,
  { base_url: given }: Pick<ProviderConfiguration, "base_url">,
): WireApiName | null {
  const address = given || baseUrl;
  if (ownAddress === undefined || !URL.canParse(address)) return null;
  const { host, api, except } = ownAddress;
  return host.test(new URL(address).hostname) && !except.test(modelId) ? api : null;
}

/** The provider's row, or the defaults for chat completions if it has none. */
export function compatOf(provider: string): Compat {
  return vendors.get(provider)?.compat ?? compatible;
}

/** Whether a model has native tools (if not, `tool_protocol: auto` writes calls as text). */
export function hasNativeTools({ compat }: Vendor, modelId: string): boolean {
  return fits(compat.nativeTools, modelId);
}
