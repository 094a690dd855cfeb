import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { proxiedFetch } from "../../src/net/proxied-fetch.ts";
import { ProxyFailure, proxyFailure } from "../../src/net/proxy-failure.ts";
import { bodyOf, json, listen } from "../support/http-server.ts";
import { named, startProxy, startRefusingProxy } from "../support/proxy-server.ts";

let site: Awaited<ReturnType<typeof listen>>;
/** The site by a name that only the proxy finds. */
let there: string;
let proxy: Awaited<ReturnType<typeof startProxy>>;

beforeAll(async () => {
  site = await listen(async (request, response) => {
    json(response, 200, { got: await bodyOf(request), name: request.headers["x-name"] });
  });
  there = named(site.origin);
  proxy = await startProxy();
});
afterAll(async () => {
  await proxy.close();
  await site.close();
});
beforeEach(() => {
  proxy.asked.length = 0;
  proxy.credentials.length = 0;
});

const post = {
  method: "POST",
  body: "hello",
  headers: new Headers({ "x-name": "value", "content-type": "text/plain" }),
};

describe("a request", () => {
  it("goes by way of the proxy that the environment names, whole", async () => {
    const response = await proxiedFetch(there, post, { HTTP_PROXY: proxy.address });
    expect(await response.json()).toEqual({ got: "hello", name: "value" });
    expect(proxy.asked).toEqual([`POST ${there}`]);
  });

  it("goes straight to the hosts of NO_PROXY, and everywhere when no proxy is named", async () => {
    const direct = { http_proxy: proxy.address, no_proxy: "a.test, named.test" };
    // Nobody but the proxy finds it.
    await expect(proxiedFetch(there, {}, direct)).rejects.toThrow("fetch failed");
    expect((await proxiedFetch(site.origin, {}, {})).status).toBe(200);
    expect(proxy.asked).toEqual([]);
  });

  it("to a server on this machine goes straight there", async () => {
    const environment = { HTTP_PROXY: proxy.address };
    expect((await proxiedFetch(site.origin, {}, environment)).status).toBe(200);
    expect(proxy.asked).toEqual([]);
  });

  it("goes on the connection of the last one, but not when that was idle for too long, as after a sleep", async () => {
    const ask = async () => {
      const environment = { HTTP_PROXY: proxy.address };
      await (await proxiedFetch(there, post, environment, 300_000)).text();
      // The connection is free for the next request when undici has seen the end of this one.
      for (let turns = 0; turns < 20; turns += 1) await turn();
      return proxy.connections();
    };
    const first = await ask();
    expect(await ask()).toBe(first);
    const now = Date.now();
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(Date, "now").mockReturnValue(now + 290_000);
    expect(await ask()).toBe(first);
    vi.spyOn(Date, "now").mockReturnValue(now + 600_000);
    expect(await ask()).toBe(first + 1);
    expect(await ask()).toBe(first + 1);
  });

  it("takes the lower case first", async () => {
    const dead = "http://127.0.0.1:1";
    const both = { http_proxy: proxy.address, HTTP_PROXY: dead };
    expect((await proxiedFetch(there, {}, both)).status).toBe(200);
    expect(proxy.asked).toHaveLength(1);
  });

  it("to https asks the proxy for a tunnel", async () => {
    const environment = { HTTPS_PROXY: proxy.address };
    const secure = there.replace("http:", "https:");
    await expect(proxiedFetch(secure, {}, environment)).rejects.toThrow("fetch failed");
    expect(proxy.asked).toEqual([`CONNECT ${new URL(there).host}`]);
  });

  it.each([
    ["nobody listens", "http://me:secret@127.0.0.1:1", "cannot be reached (ECONNREFUSED)"],
    ["its name is not known", "http://no.invalid:3128", "cannot be reached (ENOTFOUND)"],
    ["it wants to know who asks", "407", "wants a name and a password (status 407)"],
    ["it lets nobody through", "403", "does not let this through (status 403)"],
  ])("fails by the name of the proxy where %s", async (_, address, why) => {
    const refusing = await startRefusingProxy(Number.parseInt(address, 10) || 500);
    const proxied = address.startsWith("http") ? address : refusing.address;
    try {
      for (const scheme of ["https:", ...(address.startsWith("http") ? ["http:"] : [])]) {
        const target = `${scheme}//api.example.org/v1`;
        const failed = proxiedFetch(target, {}, { HTTP_PROXY: proxied });
        await expect(failed).rejects.toBeInstanceOf(ProxyFailure);
        const host = new URL(proxied).host;
        await expect(failed).rejects.toThrow(`The proxy in HTTP_PROXY (${host}) ${why}.`);
      }
    } finally {
      await refusing.close();
    }
  });

  it("fails by its own name where the proxy is not asked", async () => {
    const environment = { HTTP_PROXY: proxy.address, NO_PROXY: "127.0.0.1" };
    const failed = proxiedFetch("http://127.0.0.1:1", {}, environment);
    await expect(failed).rejects.toThrow("fetch failed");
  });

  it("gives the proxy the password in its address", async () => {
    const address = `http://me:secret@127.0.0.1:${proxy.port}`;
    await proxiedFetch(there, {}, { HTTP_PROXY: address });
    expect(proxy.credentials).toEqual([`Basic ${btoa("me:secret")}`]);
  });

  it("ends when it is stopped", async () => {
    const stop = AbortSignal.abort();
    const environment = { HTTP_PROXY: proxy.address };
    const stopped = proxiedFetch(there, { signal: stop }, environment);
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
  });

  it.each([
    "me:secret@proxy",
    "http://me:secret@127.0.0.1:1/proxy.pac",
    "http://me:secret@127.0.0.1:1?a",
  ])("is not sent when the proxy cannot be read, and its address is kept: %s", async (address) => {
    const environment = { HTTPS_PROXY: address };
    const failed = proxiedFetch(there, {}, environment);
    await expect(failed).rejects.toThrow(/^The proxy in HTTPS_PROXY is not an address/);
    await expect(failed).rejects.not.toThrow(/secret/);
  });
});

it.each([
  ["a name", { hostname: "a.test" }, "http://a.test:1", "http://b.test"],
  ["a port", { port: 8080 }, "http://a.test:8080", "http://b.test"],
])(
  "an error of %s is the proxy's only where the other address has another one",
  (_, fields, address, target) => {
    const error = Object.assign(new Error("no"), { code: "ECONNREFUSED", ...fields });
    const proxies = [{ variable: "HTTP_PROXY", address }];
    expect(proxyFailure(error, proxies, new URL(target))).toBeInstanceOf(ProxyFailure);
    expect(proxyFailure(error, proxies, new URL(`${address}/v1`))).toBeNull();
  },
);
