/** `fetch` by way of the proxy that the environment names; Node's own knows of none. */
import type { EnvHttpProxyAgent } from "undici";
import { given } from "../shared/given.ts";
import { goesStraight } from "./no-proxy.ts";
import { type NamedProxy, ProxyFailure, proxyFailure } from "./proxy-failure.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** Whether the environment names a proxy that the address is asked by. Throws a sentence when it cannot be read. */
export function isProxied(address: string | URL, environment: Environment): boolean {
  return proxiesOf(address, environment) !== null;
}

/** Null: it goes straight there. */
function proxiesOf(address: string | URL, environment: Environment): Proxies | null {
  const noProxy = read(environment, "NO_PROXY");
  return goesStraight(address, noProxy) ? null : readProxies(environment, noProxy);
}

interface UsedAgent {
  readonly agent: EnvHttpProxyAgent;
  /** Milliseconds since 1970. */
  usedAt: number;
}

/** Agents keep their connections, so there is one for each setting; in practice one. */
const agents = new Map<string, UsedAgent>();

/**
 * `fetch` as of the standard. With HTTP_PROXY or HTTPS_PROXY set (lower case wins, as in curl) requests go there, but
 * for this machine and the hosts of NO_PROXY. Rejects like `fetch`, and with a ProxyFailure when it is the proxy that cannot be read or
 * reached, or that refuses.
 */
export async function proxiedFetch(
  url: string | URL,
  init: RequestInit = {},
  environment: Environment = process.env,
  /** Milliseconds that an idle connection by way of a proxy is kept; Node's four seconds when left out. */
  idleMs?: number,
): Promise<Response> {
  const proxies = proxiesOf(url, environment);
  if (proxies === null) return fetch(url, init);
  // Node's own `fetch` takes only an agent of the version that is built into Node, so both come from the package.
  const undici = await import("./undici.ts");
  const key = JSON.stringify([proxies, idleMs]);
  const kept = given({ keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs });
  const now = Date.now();
  const known = agents.get(key);
  // undici's clock stands still while the machine sleeps: a request would wait on a connection that is long dead.
  const isStale = known !== undefined && idleMs !== undefined && now - known.usedAt > idleMs;
  if (isStale) known.agent.close().catch(() => {});
  // Without a tunnel for http, as curl does it: many proxies refuse tunnels to ports but 443.
  const agent =
    known === undefined || isStale
      ? new undici.EnvHttpProxyAgent({ ...proxies, ...kept, proxyTunnel: false })
      : known.agent;
  agents.set(key, { agent, usedAt: now });
  // Both follow one standard; only their declarations differ.
  const options = { ...init, dispatcher: agent } as Parameters<typeof undici.fetch>[1];
  try {
    return (await undici.fetch(url, options)) as unknown as Response;
  } catch (error) {
    throw proxyFailure(error, proxiesFor(new URL(url), proxies), new URL(url)) ?? error;
  }
}

/** As undici takes them: https without a proxy of its own goes by that for http. */
function proxiesFor({ protocol }: URL, { httpProxy, httpsProxy }: Proxies): readonly NamedProxy[] {
  const http = { variable: "HTTP_PROXY", address: httpProxy };
  if (protocol !== "https:") return [http];
  return [httpsProxy === "" ? http : { variable: "HTTPS_PROXY", address: httpsProxy }];
}

function read(environment: Environment, name: string): string {
  return environment[name.toLowerCase()]?.trim() || environment[name]?.trim() || "";
}

/** Null when no proxy is named. Throws a sentence, without the address: it may hold a password. */
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

/** Without a path: what has one is a page, or the address of a file that configures browsers. */
function isProxyAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, pathname, search, hash } = new URL(address);
  return /^https?:$/.test(protocol) && `${pathname}${search}${hash}` === "/";
}
