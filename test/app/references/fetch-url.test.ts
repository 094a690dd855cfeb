import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { fetchBytes } from "../../../src/app/references/fetch-url.ts";
import { listen } from "../../support/http-server.ts";
import { named, startProxy } from "../../support/proxy-server.ts";

afterEach(() => vi.unstubAllEnvs());

it("uses the proxy that the environment names", async () => {
  const site = await listen(async (_request, response) => {
    response.end("a page");
  });
  onTestFinished(() => site.close());
  const proxy = await startProxy();
  onTestFinished(() => proxy.close());
  vi.stubEnv("http_proxy", proxy.address);
  vi.stubEnv("no_proxy", "");
  const bytes = await fetchBytes(
    new URL(named(`${site.origin}/page`)),
    new AbortController().signal,
  );
  expect(Buffer.from(bytes).toString("utf8")).toBe("a page");
  expect(proxy.asked).toEqual([`GET ${named(site.origin)}`]);
});
