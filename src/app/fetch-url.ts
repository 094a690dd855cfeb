/** Fetches the file behind an address, after the person said yes to it. */
import { largestFile, tooLarge } from "./file-content.ts";

/** Milliseconds. */
const timeLimit = 20_000;

/** The bytes, or a sentence part that says why there are none ("answered …"). Never throws. */
export async function fetchBytes(url: URL, signal: AbortSignal): Promise<Uint8Array | string> {
  const late = AbortSignal.timeout(timeLimit);
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, late]) });
    if (!response.ok) {
      await response.body?.cancel();
      return `answered with status ${response.status}`;
    }
    return await readBody(response);
  } catch (error) {
    if (signal.aborted) return "was not fetched, because the request was stopped";
    if (late.aborted) return `did not answer within ${timeLimit / 1000} s`;
    // The reason of a failed fetch is in its cause; messages of either can name the whole address.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null;
    const code = cause !== null && "code" in cause ? ` (${String(cause.code)})` : "";
    return `could not be fetched${code}`;
  }
}

async function readBody({ body }: Response): Promise<Uint8Array | string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > largestFile) return tooLarge(largestFile, "a fetched file");
  }
  return Buffer.concat(chunks);
}
