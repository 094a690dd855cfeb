/** Adds the user's own headers, query parameters and body fields to requests to a vendor or a model. Pure. */
import type {
  ProviderConfiguration,
  RequestExtras,
} from "../../conversation/settings/vendor-settings.ts";
import { HttpHeaders } from "../../net/http-headers.ts";
import { ownValue } from "../../shared/json.ts";

/** Settings of the model win over those of its vendor, and both over parameters in the address. */
export function extrasFor(
  settings: ProviderConfiguration | undefined,
  modelId: string,
  address: string,
): Required<RequestExtras> {
  const models = settings?.models ?? {};
  const own = ownValue(models, modelId);
  const inAddress = URL.canParse(address) ? new URL(address).searchParams : [];
  return {
    headers: { ...settings?.headers, ...own?.headers },
    query: { ...Object.fromEntries(inAddress), ...settings?.query, ...own?.query },
    extra_body: { ...settings?.extra_body, ...own?.extra_body },
  };
}

/** A body with the user's fields. */
export function withFields(body: object, { extra_body: fields = {} }: RequestExtras): object {
  return Object.keys(fields).length === 0 ? body : { ...body, ...fields };
}

/** A request with the user's headers and parameters. */
export function withExtras(
  address: string,
  init: RequestInit,
  extras: RequestExtras,
): { readonly address: string; readonly init: RequestInit & { readonly headers: Headers } } {
  const { headers = {}, query = {} } = extras;
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const all = new HttpHeaders(init.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return { address: url.href, init: { ...init, headers: all } };
}
