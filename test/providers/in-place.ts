/** What takes a request of a model in place of the network, for tests that say what comes back. */
import type { HttpResponse } from "../../src/net/lasting-fetch.ts";

/** `take` null: requests are sent. */
export const inPlace: { take: (() => Promise<HttpResponse>) | null } = { take: null };

/** For `vi.mock`: the module with requests that go to `inPlace` first. */
export function replaceRequests(
  real: typeof import("../../src/net/lasting-fetch.ts"),
): typeof import("../../src/net/lasting-fetch.ts") {
  return {
    ...real,
    createLastingFetch(options) {
      const lasting = real.createLastingFetch(options);
      return { ...lasting, fetch: (...request) => inPlace.take?.() ?? lasting.fetch(...request) };
    },
  };
}
