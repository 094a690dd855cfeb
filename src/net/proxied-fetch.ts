/** `fetch` through the proxy that the environment names; Node's own `fetch` uses none. */
import type { EnvHttpProxyAgent } from "undici";
import { given } from "../shared/given.ts";
import { bypassesProxy } from "./no-proxy.ts";
import { type NamedProxy, ProxyFailure, proxyFailure } from "./proxy-failure.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** Whether the address is reached through a proxy of the environment. Throws a sentence when its setting is invalid. */
export function isProxied(address: string | URL, environment: Environment): boolean {
  return proxiesOf(address, environment) !== null;
}

/** Null: no proxy is used. */
function proxiesOf(address: string | URL, environment: Environment): Proxies | null {
  const noProxy = read(environment, "NO_PROXY");
  return bypassesProxy(address, noProxy) ? null : readProxies(environment, noProxy);
}

interface UsedAgent {
  readonly agent: EnvHttpProxyAgent;
  /** Milliseconds since 1970. */
  usedAt: number;
}

/** Agents keep their connections, so there is one per set of settings; in practice one. */
const agents = new Map<string, UsedAgent>();

/**
 * The standard's `fetch`. With HTTP_PROXY or HTTPS_PROXY set (lower case wins, as in curl) requests go through that
 * proxy, except to this machine and the hosts of NO_PROXY. Rejects like `fetch`, and with a ProxyFailure when the
 * proxy's setting is invalid, or the proxy cannot be reached or refuses.
 */
export async function proxiedFetch(
  url: string | URL,
  init: RequestInit = {},
  environment: Environment = process.env,
  /** Milliseconds that an idle connection through a proxy is kept; Node's four seconds when absent. */
  idleMs?: number,
): Promise<Response> {
  const proxies = proxiesOf(url, environment);
  if (proxies === null) return fetch(url, init);
  // Node's own `fetch` only takes an agent of the version built into Node, so both come from the package.
  const undici = await import("./undici.ts");
  const key = JSON.stringify([proxies, idleMs]);
  const kept = given({ keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs });
  const now = Date.now();
  const known = agents.get(key);
  // undici's clock stops while the machine sleeps, so a request would wait on a connection that is long dead.
  const isStale = known !== undefined && idleMs !== undefined && now - known.usedAt > idleMs;
  if (isStale) known.agent.close().catch(() => {});
  // No tunnel for http, as in curl: many proxies refuse tunnels to ports other than 443.
  const agent =
    known === undefined || isStale
      ? new undici.EnvHttpProxyAgent({ ...proxies, ...kept, proxyTunnel: false })
      : known.agent;
  agents.set(key, { agent, usedAt: now });
  // Both follow the same standard; only their type declarations differ.
  const options = { ...init, dispatcher: agent } as Parameters<typeof undici.fetch>[1];
  try {
    return (await undici.fetch(url, options)) as unknown as Response;
  } catch (error) {
    throw proxyFailure(error, proxiesFor(new URL(url), proxies), new URL(url)) ?? error;
  }
}

/** As undici uses them: https without its own proxy uses the one for http. */
function proxiesFor({ protocol }: URL, { httpProxy, httpsProxy }: Proxies): readonly NamedProxy[] {
  const http = { variable: "HTTP_PROXY", address: httpProxy };
  if (protocol !== "https:") return [http];
  return [httpsProxy === "" ? http : { variable: "HTTPS_PROXY", address: httpsProxy }];
}

function read(environment: Environment, name: string): string {
  return environment[name.toLowerCase()]?.trim() || environment[name]?.trim() || "";
}

/** Null when no proxy is named. Throws a sentence without the address, which may contain a password. */
function readProxies(environment: Environment, noProxy: string): Proxies | null {
  const checked = (name: string) => {
    const value = read(environment, name);
    if (value === "" || isProxyAddress(value)) return value;
    throw new ProxyFailure(
      `The proxy in ${name} is not an address such as http://host:3128, so nothing was sent.`,
      "ERR_INVALID_PROXY",
    );
  };
  const [httpProxy, httpsProxy] = [checked("HTTP_PROXY"), checked("HTTPS_PROXY")];
  if (httpProxy === "" && httpsProxy === "") return null;
  return { httpProxy, httpsProxy, noProxy };
}

/** A proxy has no path: an address with one is a page, or a file that configures browsers. */
function isProxyAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, pathname, search, hash } = new URL(address);
  return /^https?:$/.test(protocol) && `${pathname}${search}${hash}` === "/";
}
