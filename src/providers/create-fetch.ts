import { proxiedFetch } from "../net/proxied-fetch.ts";

/**
 * `fetch` for the SDKs, by the proxy that the environment names. Bodies have megabytes: it goes over a text several
 * times before it is sent, over bytes it does not.
 */
export function createFetch(environment: Readonly<Record<string, string | undefined>>) {
  return (url: string | URL | Request, options: RequestInit = {}): Promise<Response> => {
    const address = url instanceof Request ? url.url : url;
    const { body } = options;
    const bytes = typeof body === "string" ? { body: new TextEncoder().encode(body) } : {};
    return proxiedFetch(address, { ...options, ...bytes }, environment);
  };
}
