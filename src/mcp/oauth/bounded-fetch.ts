/** Requests to authorization servers. The MCP server names them, so their addresses and responses are restricted. */

import { bodyPieces } from "../../net/body-pieces.ts";
import { isLocalAddress } from "../../net/local-address.ts";
import { proxiedFetch } from "../../net/proxied-fetch.ts";
import { isObject, messageOf, parseJson } from "../../shared/json.ts";

export interface BoundedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Why the last request got no usable response, as a sentence; null if it got one. */
  trouble(): string | null;
}

const timeoutMs = 20_000;
const largestBytes = 1_000_000;

/**
 * Allows https, the server's own origin, and plain http on this machine if the server itself runs here. Requests carry
 * none of the server's configured headers.
 */
export function boundedFetch(server: URL, signal: AbortSignal): BoundedFetch {
  let trouble: string | null = null;
  return {
    trouble: () => trouble,
    async fetch(address, init = {}) {
      const url = new URL(address);
      trouble = null;
      if (!isAllowed(url, server)) {
        trouble = `${url.origin} was not contacted, since it is not https.`;
        throw new Error(trouble);
      }
      try {
        const response = await proxiedFetch(url, {
          ...init,
          redirect: init.redirect ?? "manual",
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        });
        if (response.status >= 500) trouble = `${url.origin} answered with ${response.status}.`;
        return await inMemory(response, url, init.method ?? "GET");
      } catch (error) {
        signal.throwIfAborted();
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
        const reason = messageOf(cause);
        trouble = `${url.origin} could not be reached (${reason}).`;
        throw error;
      }
    },
  };
}

function isWellKnown({ pathname }: URL): boolean {
  return pathname.includes("/.well-known/");
}

function isAllowed(url: URL, server: URL): boolean {
  if (url.protocol === "https:" || url.origin === server.origin) return true;
  return url.protocol === "http:" && isLocalAddress(url) && isLocalAddress(server);
}

/** Reads the whole response into memory, or throws if it is larger than any metadata. */
async function inMemory(response: Response, url: URL, method: string): Promise<Response> {
  if (response.body === null) return response;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bodyPieces(response.body)) {
    size += piece.byteLength;
    if (size > largestBytes) throw new Error(`${url.origin} answered with more than 1 MB`);
    pieces.push(piece);
  }
  const { status, statusText, headers, ok } = response;
  const whole = Buffer.concat(pieces);
  // Single-page apps answer like this for every path (outline/outline#11572); a 404 makes the SDK try the next one.
  const isPage = ok && isWellKnown(url) && !isObject(parseJson(whole.toString("utf8")));
  if (isPage) return new Response(null, { status: 404 });
  // The SDK prints an error body that it cannot parse, and that body may repeat the secrets that were sent.
  const body = ok || method === "GET" ? whole : refusalIn(whole.toString("utf8"));
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? body : null, { status, statusText, headers });
}

/** The two fields of an OAuth error response (RFC 6749, section 5.2); an empty text for anything else. */
function refusalIn(text: string): string {
  const value = parseJson(text);
  const { error, error_description } = isObject(value) ? value : {};
  return typeof error === "string" ? JSON.stringify({ error, error_description }) : "";
}
