/** Sends requests to vendors: through the environment's proxy, without redirects, with the full text of refusals. */
import type { HttpRequest, HttpResponse, LastingFetch } from "../net/lasting-fetch.ts";
import { isProxied, proxiedFetch } from "../net/proxied-fetch.ts";
import { given } from "../shared/given.ts";
import type { Endpoint } from "./endpoint.ts";
import { readRefusal } from "./failures/refused-response.ts";
import { bodyBytes } from "./request/body-bytes.ts";
import { withExtras, withFields } from "./request/request-extras.ts";
import { headerVariables } from "./vendors/vendor.ts";

/** Idle time of a connection. Servers usually allow 400 s (Cloudflare, Anthropic); past 300 s resets get frequent. */
const keptMs = 300_000;

let connections: Promise<LastingFetch> | null = null;

/**
 * One pool for the whole process, so that chats with one vendor share its connections. Created on first use: starting
 * and previewing do not need Node's HTTP and TLS, which cost 3 MB and 20 ms.
 */
function vendorConnections(): Promise<LastingFetch> {
  connections ??= import("../net/lasting-fetch.ts").then(({ createLastingFetch }) =>
    createLastingFetch({ idleMs: keptMs }),
  );
  return connections;
}

const asked = new Set<string>();

/** Whether this process has sent a request to any vendor. */
export function hasAsked(): boolean {
  return asked.size > 0;
}

/**
 * Opens a connection to the vendor at `baseUrl` without sending anything. `asked`: only if this process has already
 * sent it a request. Does nothing with a proxy. Rejects if the environment's proxy setting is invalid.
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
 * Returns the function that sends requests: through the environment's proxy, and without redirects, since the key would
 * follow them. Bodies are megabytes and are sent as bytes, since a string would be traversed several times. Rejects
 * with a RefusedResponse for every status that is not a success.
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

/** What an SDK's `post` takes for a streaming answer. It passes bytes on, where it would write an object as text. */
export function streamingPost(body: object, { extras, timeouts }: Endpoint, signal: AbortSignal) {
  return {
    body: bodyBytes(withFields(body, extras)),
    headers: { "content-type": "application/json" },
    stream: true,
    signal,
    timeout: timeouts.firstByteMs,
  } as const;
}

/** A `fetch` for the SDKs, which only read the status and headers of a streaming response. */
export function sdkFetch(endpoint: Parameters<typeof createFetch>[0]): typeof fetch {
  const send = createFetch(endpoint);
  return async (url, options) => (await send(addressOf(url), options)) as unknown as Response;
}

/** A `fetch` for packages that read the body themselves, with a standard Response. */
export function standardFetch(endpoint: Parameters<typeof createFetch>[0]): typeof fetch {
  const send = createFetch(endpoint);
  return async (url, options) => {
    const { status, headers, body } = await send(addressOf(url), options);
    return new Response(body && ReadableStream.from(body), { status, headers });
  };
}

/** Without `instanceof Request`, which would load all of Node's `fetch`. */
function addressOf(asked: string | URL | Request): string | URL {
  return typeof asked === "string" || asked instanceof URL ? asked : asked.url;
}

/** Creates an SDK client while the variables with other vendors' headers are removed, so that it never sends those. */
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
