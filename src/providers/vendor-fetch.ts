/** How vendors are asked: by the proxy of the environment, without redirects, and with refusals kept whole. */
import { createLastingFetch, keptMs } from "../net/lasting-fetch.ts";
import { namesProxy, proxiedFetch } from "../net/proxied-fetch.ts";
import type { Connection } from "./connection.ts";
import { readRefusal } from "./failures/refused-response.ts";
import { withExtras } from "./request/request-extras.ts";

/** Of the whole process: chats of one vendor share its connections. */
const vendorConnections = createLastingFetch();
const asked = new Set<string>();

/** Loads what the first request needs, so that it leaves at once. */
export async function warmVendorFetch(): Promise<void> {
  await vendorConnections.warm();
}

/** Whether this process has asked any vendor. */
export function hasAsked(): boolean {
  return asked.size > 0;
}

/**
 * Opens a connection to the vendor at `baseUrl` and sends nothing. `asked`: only to one that was asked before by this
 * process. By way of a proxy none is opened ahead.
 */
export function openAhead(
  baseUrl: string,
  which: "asked" | "any",
  environment: Readonly<Record<string, string | undefined>>,
): void {
  if (namesProxy(environment)) return;
  if (which === "any" || asked.has(new URL(baseUrl).origin)) vendorConnections.openAhead(baseUrl);
}

/**
 * `fetch` for the SDKs, by the proxy that the environment names. Bodies have megabytes: it goes over a text several
 * times before it is sent, over bytes it does not. Rejects with a RefusedResponse for every status that is no
 * success; a redirect is one, since the key would follow it.
 */
export function createFetch({
  environment,
  extras,
  send,
}: Pick<Connection, "environment" | "extras" | "send">) {
  return async (url: string | URL | Request, options: RequestInit = {}): Promise<Response> => {
    const wanted = withExtras(String(url instanceof Request ? url.url : url), options, extras);
    const { body } = wanted.init;
    const bytes = typeof body === "string" ? { body: new TextEncoder().encode(body) } : {};
    const init = { ...wanted.init, ...bytes, redirect: "manual" } as const;
    if (send !== undefined) return send(wanted.address, init);
    const how = { direct: vendorConnections.fetch, idleMs: keptMs };
    const response = await proxiedFetch(wanted.address, init, environment, how);
    asked.add(new URL(wanted.address).origin);
    if (response.ok) return response;
    throw await readRefusal(response);
  };
}
