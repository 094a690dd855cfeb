/** How vendors are asked: by the proxy of the environment, without redirects, and with refusals kept whole. */
import type { HttpRequest, HttpResponse, LastingFetch } from "../net/lasting-fetch.ts";
import { isProxied, proxiedFetch } from "../net/proxied-fetch.ts";
import { given } from "../shared/given.ts";
import type { Endpoint } from "./endpoint.ts";
import { readRefusal } from "./failures/refused-response.ts";
import { withExtras } from "./request/request-extras.ts";
import { headerVariables } from "./vendors/vendor.ts";

/** Servers keep 400 s as a rule (Cloudflare, Anthropic); past 300 s resets become frequent. */
const keptMs = 300_000;

let connections: Promise<LastingFetch> | null = null;

/**
 * Of the whole process: chats of one vendor share its connections. On first use: a start and a preview need nothing of
 * Node's HTTP and TLS, which are 3 MB and 20 ms.
 */
function vendorConnections(): Promise<LastingFetch> {
  connections ??= import("../net/lasting-fetch.ts").then(({ createLastingFetch }) =>
    createLastingFetch({ idleMs: keptMs }),
  );
  return connections;
}

const asked = new Set<string>();

/** Whether this process has asked any vendor. */
export function hasAsked(): boolean {
  return asked.size > 0;
}

/**
 * Opens a connection to the vendor at `baseUrl` and sends nothing. `asked`: only to one that was asked before by this
 * process. By way of a proxy none is opened ahead. Rejects when the proxy of the environment cannot be read.
 */
export async function openAhead(
  baseUrl: string,
  which: "asked" | "any",
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (isProxied(baseUrl, environment)) return;
  if (which === "asked" && !asked.has(new URL(baseUrl).origin)) return;
  (await vendorConnections()).openAhead(baseUrl);
}

/**
 * How requests reach a vendor: by the proxy that the environment names, without redirects, since the key would follow
 * them. Bodies have megabytes, and go out as bytes: a text is gone over several times before it is sent. Rejects with a
 * RefusedResponse for every status that is no success.
 */
export function createFetch({
  environment,
  extras,
  ready,
  send = (address, request) => sendTo(address, request, environment),
}: Pick<Endpoint, "environment" | "extras" | "ready" | "send">) {
  return async (url: string | URL, options: RequestInit = {}): Promise<HttpResponse> => {
    const { address, init } = withExtras(String(url), options, extras);
    const { method, headers, body, signal } = init;
    const bytes = body == null ? null : bytesOf(body);
    const response = await send(address, {
      headers,
      ...given({ method, signal, body: bytes, ready }),
    });
    if (response.ok) return response;
    throw await readRefusal(response);
  };
}

function bytesOf(body: NonNullable<RequestInit["body"]>): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError("The body of a request is text or bytes.");
}

async function sendTo(
  address: string,
  request: HttpRequest,
  environment: Endpoint["environment"],
): Promise<HttpResponse> {
  const response = isProxied(address, environment)
    ? await proxied(address, request, environment)
    : await (await vendorConnections()).fetch(address, request);
  asked.add(new URL(address).origin);
  return response;
}

async function proxied(
  address: string,
  { ready, ...request }: HttpRequest,
  environment: Endpoint["environment"],
): Promise<HttpResponse> {
  await ready;
  return proxiedFetch(address, { ...request, redirect: "manual" }, environment, keptMs);
}

/** As the SDKs take it. Of an answer that streams they look at its head alone. */
export function sdkFetch(endpoint: Parameters<typeof createFetch>[0]): typeof fetch {
  const send = createFetch(endpoint);
  return async (url, options) => (await send(addressOf(url), options)) as unknown as Response;
}

/** The same where the body is read by a package: with a body of the standard. */
export function standardFetch(endpoint: Parameters<typeof createFetch>[0]): typeof fetch {
  const send = createFetch(endpoint);
  return async (url, options) => {
    const { status, headers, body } = await send(addressOf(url), options);
    return new Response(body && ReadableStream.from(body), { status, headers });
  };
}

/** Asking for the class itself would load all of Node's `fetch`. */
function addressOf(asked: string | URL | Request): string | URL {
  return typeof asked === "string" || asked instanceof URL ? asked : asked.url;
}

/** Makes a client of an SDK, which does not see the headers of another vendor than the one that is asked. */
export function withOwnHeaders<Client>({ vendor }: Endpoint, make: () => Client): Client {
  const others = Object.entries(headerVariables).flatMap(([id, variable]) => {
    const value = process.env[variable];
    return id === vendor.id || value === undefined ? [] : [[variable, value] as const];
  });
  for (const [variable] of others) delete process.env[variable];
  try {
    return make();
  } finally {
    for (const [variable, value] of others) process.env[variable] = value;
  }
}
