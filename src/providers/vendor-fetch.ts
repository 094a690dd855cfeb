/** How vendors are asked: by the proxy of the environment, without redirects, and with refusals kept whole. */
import { proxiedFetch } from "../net/proxied-fetch.ts";
import { readRefusal } from "./failures/refused-response.ts";

/**
 * `fetch` for the SDKs, by the proxy that the environment names. Bodies have megabytes: it goes over a text several
 * times before it is sent, over bytes it does not. Rejects with a RefusedResponse for every status that is no
 * success; a redirect is one, since the key would follow it.
 */
export function createFetch(environment: Readonly<Record<string, string | undefined>>) {
  return async (url: string | URL | Request, options: RequestInit = {}): Promise<Response> => {
    const address = url instanceof Request ? url.url : url;
    const { body } = options;
    const bytes = typeof body === "string" ? { body: new TextEncoder().encode(body) } : {};
    const init = { ...options, ...bytes, redirect: "manual" } as const;
    const response = await proxiedFetch(address, init, environment);
    if (response.ok) return response;
    throw await readRefusal(response);
  };
}
