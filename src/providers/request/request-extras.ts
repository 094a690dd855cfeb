/** What the person wants to go with every request to a vendor or a model: headers, parameters, fields. Pure. */
import type {
  ProviderConfiguration,
  RequestExtras,
} from "../../conversation/settings/vendor-settings.ts";
import { HttpHeaders } from "../../net/http-headers.ts";
import { isObject, ownValue, parseJson } from "../../shared/json.ts";

/** Of a model, over those of its vendor, over the parameters in the address. */
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

/** A body with the fields that the person wants. */
export function withFields(body: object, { extra_body: fields = {} }: RequestExtras): object {
  return Object.keys(fields).length === 0 ? body : { ...body, ...fields };
}

/** A request as it goes out with them. */
export function withExtras(
  address: string,
  init: RequestInit,
  extras: RequestExtras,
): { readonly address: string; readonly init: RequestInit & { readonly headers: Headers } } {
  const { headers = {}, query = {}, extra_body: fields = {} } = extras;
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const all = new HttpHeaders(init.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  const { body } = init;
  const hasFields = Object.keys(fields).length > 0 && typeof body === "string";
  const value = hasFields ? parseJson(body) : undefined;
  const changed = isObject(value) ? { body: JSON.stringify(withFields(value, extras)) } : {};
  return { address: url.href, init: { ...init, headers: all, ...changed } };
}
