/** Fetches the file at an address, after the user approved it. */
import { proxiedFetch } from "../../net/proxied-fetch.ts";
import { proxyFailureIn } from "../../net/proxy-failure.ts";
import { largestFile, tooLargeText } from "../files/file-content.ts";

/** In milliseconds. */
const timeLimit = 20_000;

/** The bytes, or a sentence part that says why there are none ("answered …"). Never throws. */
export async function fetchBytes(url: URL, signal: AbortSignal): Promise<Uint8Array | string> {
  const late = AbortSignal.timeout(timeLimit);
  try {
    const response = await fetchSameOrigin(url, AbortSignal.any([signal, late]));
    if (typeof response === "string") return response;
    if (!response.ok) {
      await response.body?.cancel();
      return `answered with status ${response.status}`;
    }
    return await readBody(response);
  } catch (error) {
    if (signal.aborted) return "was not fetched, because the request was stopped";
    if (late.aborted) return `did not answer within ${timeLimit / 1000} s`;
    const proxy = proxyFailureIn(error);
    if (proxy !== null) return `could not be fetched: ${proxy.reason}`;
    // The reason for a failed fetch is in its cause; the messages of both may contain the whole address.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null;
    const code = cause !== null && "code" in cause ? ` (${String(cause.code)})` : "";
    return `could not be fetched${code}`;
  }
}

const mostRedirects = 5;

/**
 * The approval was for one origin, so redirects are followed only within it: another one may be a machine that only
 * this computer can reach. A redirect from http to https on the same host counts as the same origin.
 */
async function fetchSameOrigin(url: URL, signal: AbortSignal): Promise<Response | string> {
  let at = url;
  for (let hop = 0; hop <= mostRedirects; hop += 1) {
    const response = await proxiedFetch(at, { signal, redirect: "manual" });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    if (!URL.canParse(location, at.href)) return "answered with a redirect that cannot be read";
    const next = new URL(location, at);
    const isSame =
      next.origin === at.origin || (next.host === at.host && next.protocol === "https:");
    if (!isSame)
      return `redirects to ${next.origin}, which was not allowed; name that address instead`;
    at = next;
  }
  return `redirects more than ${mostRedirects} times`;
}

async function readBody({ body }: Response): Promise<Uint8Array | string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > largestFile) return tooLargeText(largestFile, "a fetched file");
  }
  return Buffer.concat(chunks);
}
