/** Requests to authorization servers. The MCP server names them, so their addresses and responses are restricted. */

import { bodyPieces } from "../../net/body-pieces.ts";
import { isLocalAddress } from "../../net/local-address.ts";
import { proxiedFetch } from "../../net/proxied-fetch.ts";
import { isObject, type JsonObject, messageOf, objectOf, parseJson } from "../../shared/json.ts";

export interface BoundedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Why the last request got no usable response, as a sentence; null if it got one. */
  trouble(): string | null;
  /** The origin of the last request; before it, the server's own. */
  asked(): string;
}

const timeoutMs = 20_000;
const largestBytes = 1_000_000;

/**
 * Allows https, the server's own origin, and plain http on this machine if the server itself runs here. Requests carry
 * none of the server's configured headers.
 */
export function boundedFetch(server: URL, signal: AbortSignal): BoundedFetch {
  let trouble: string | null = null;
  let asked = server.origin;
  return {
    trouble: () => trouble,
    asked: () => asked,
    async fetch(address, init = {}) {
      const url = new URL(address);
      trouble = null;
      asked = url.origin;
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
        return await inMemory(response, url, init);
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
async function inMemory(
  response: Response,
  url: URL,
  { method = "GET", body: sent }: RequestInit,
): Promise<Response> {
  if (response.body === null) return response;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bodyPieces(response.body)) {
    size += piece.byteLength;
    if (size > largestBytes) throw new Error(`${url.origin} answered with more than 1 MB`);
    pieces.push(piece);
  }
  const { status, statusText, headers, ok } = response;
  const whole = Buffer.concat(pieces).toString("utf8");
  const answer = parseJson(whole);
  // Single-page apps answer like this for every path (outline/outline#11572); a 404 makes the SDK try the next one.
  if (ok && isWellKnown(url) && !isObject(answer)) return new Response(null, { status: 404 });
  // The SDK prints an error body that it cannot parse, and that body may repeat the secrets that were sent.
  const kept = method === "GET" ? whole : refusalIn(answer);
  const body = !ok ? kept : isObject(answer) ? completed(answer, sent) : whole;
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? body : null, { status, statusText, headers });
}

/**
 * The SDK takes null for a wrong value, but servers write it for what they do not have
 * (modelcontextprotocol/typescript-sdk#1923, open-metadata/OpenMetadata#30642). A registration, the only request with
 * JSON, is answered with all that was registered (RFC 7591, section 3.2.1); what a server leaves out is what was sent.
 */
function completed(answer: JsonObject, sent: RequestInit["body"]): string {
  const registered = typeof sent === "string" ? objectOf(parseJson(sent)) : {};
  const given = Object.entries(answer).filter(([, value]) => value !== null);
  return JSON.stringify({ ...registered, ...Object.fromEntries(given) });
}

/** The two fields of an OAuth error response (RFC 6749, section 5.2); an empty text for anything else. */
function refusalIn(answer: unknown): string {
  const { error, error_description } = objectOf(answer);
  return typeof error === "string" ? JSON.stringify({ error, error_description }) : "";
}
