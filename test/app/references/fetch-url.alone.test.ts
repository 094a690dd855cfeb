/** Redirects of a fetched address, without a network: which of them are followed. */
import { expect, it, vi } from "vitest";
import { fetchBytes } from "../../../src/app/references/fetch-url.ts";

const { answers } = vi.hoisted(() => ({ answers: new Map<string, string>() }));

/** An address redirects to the one in `answers`; all others answer with their own address. */
vi.mock("../../../src/net/proxied-fetch.ts", () => ({
  proxiedFetch: async (url: URL) => {
    const location = answers.get(url.href);
    return location === undefined
      ? new Response(url.href)
      : new Response(null, { status: 302, headers: { location } });
  },
}));

async function fetched(from: string, to: string): Promise<string> {
  answers.clear();
  answers.set(from, to);
  const found = await fetchBytes(new URL(from), new AbortController().signal);
  return typeof found === "string" ? found : Buffer.from(found).toString("utf8");
}

it.each([
  ["http://example.org/a", "https://example.org/b"],
  ["https://example.org/a", "https://example.org/b"],
  ["https://example.org/a", "/b"],
])("follows a redirect from %s to %s", async (from, to) => {
  expect(await fetched(from, to)).toBe("https://example.org/b");
});

it.each([
  ["https://example.org/a", "http://example.org"],
  ["https://example.org/a", "https://other.example.org"],
  ["https://example.org/a", "https://example.org:8443"],
  ["http://example.org/a", "https://other.example.org"],
])("does not follow a redirect from %s to %s, which was not approved", async (from, to) => {
  expect(await fetched(from, to)).toBe(
    `redirects to ${to}, which was not allowed; name that address instead`,
  );
});
