import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { proxiedFetch } from "../../src/net/proxied-fetch.ts";
import { ProxyFailure, proxyFailure } from "../../src/net/proxy-failure.ts";
import { bodyOf, json, listen } from "../support/http-server.ts";
import { named, startProxy, startRefusingProxy } from "../support/proxy-server.ts";

let site: Awaited<ReturnType<typeof listen>>;
/** The site under a host name that only the proxy can resolve. */
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
  it("is sent through the proxy in the environment, with headers and body", async () => {
    const response = await proxiedFetch(there, post, { HTTP_PROXY: proxy.address });
    expect(await response.json()).toEqual({ got: "hello", name: "value" });
    expect(proxy.asked).toEqual([`POST ${there}`]);
  });

  it("is sent directly to hosts in NO_PROXY, and without a proxy in the environment", async () => {
    const direct = { http_proxy: proxy.address, no_proxy: "a.test, named.test" };
    // Only the proxy can resolve this name.
    await expect(proxiedFetch(there, {}, direct)).rejects.toThrow("fetch failed");
    expect((await proxiedFetch(site.origin, {}, {})).status).toBe(200);
    expect(proxy.asked).toEqual([]);
  });

  it("to a server on this machine is sent directly", async () => {
    const environment = { HTTP_PROXY: proxy.address };
    expect((await proxiedFetch(site.origin, {}, environment)).status).toBe(200);
    expect(proxy.asked).toEqual([]);
  });

  it("reuses the proxy connection unless it was idle for too long", async () => {
    const ask = async () => {
      const environment = { HTTP_PROXY: proxy.address };
      await (await proxiedFetch(there, post, environment, 300_000)).text();
      // The connection can be reused only after undici has seen the end of this response.
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

  it("prefers the variable in lower case", async () => {
    const dead = "http://127.0.0.1:1";
    const both = { http_proxy: proxy.address, HTTP_PROXY: dead };
    expect((await proxiedFetch(there, {}, both)).status).toBe(200);
    expect(proxy.asked).toHaveLength(1);
  });

  it("over https asks the proxy for a tunnel", async () => {
    const environment = { HTTPS_PROXY: proxy.address };
    const secure = there.replace("http:", "https:");
    await expect(proxiedFetch(secure, {}, environment)).rejects.toThrow("fetch failed");
    expect(proxy.asked).toEqual([`CONNECT ${new URL(there).host}`]);
  });

  it.each([
    ["nothing listens there", "http://me:secret@127.0.0.1:1", "cannot be reached (ECONNREFUSED)"],
    ["its host name is unknown", "http://no.invalid:3128", "cannot be reached (ENOTFOUND)"],
    ["it requires authentication", "407", "requires a user name and a password (status 407)"],
    ["it refuses the request", "403", "refused the connection (status 403)"],
  ])("fails with the name of the proxy when %s", async (_, address, why) => {
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

  it("fails with a plain error when it does not use the proxy", async () => {
    const environment = { HTTP_PROXY: proxy.address, NO_PROXY: "127.0.0.1" };
    const failed = proxiedFetch("http://127.0.0.1:1", {}, environment);
    await expect(failed).rejects.toThrow("fetch failed");
  });

  it("authenticates to the proxy with the password in its address", async () => {
    const address = `http://me:secret@127.0.0.1:${proxy.port}`;
    await proxiedFetch(there, {}, { HTTP_PROXY: address });
    expect(proxy.credentials).toEqual([`Basic ${btoa("me:secret")}`]);
  });

  it("fails when it is aborted", async () => {
    const stop = AbortSignal.abort();
    const environment = { HTTP_PROXY: proxy.address };
    const stopped = proxiedFetch(there, { signal: stop }, environment);
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
  });

  it.each([
    "me:secret@proxy",
    "http://me:secret@127.0.0.1:1/proxy.pac",
    "http://me:secret@127.0.0.1:1?a",
  ])(
    "is not sent when the proxy address is invalid, and the error hides that address: %s",
    async (address) => {
      const environment = { HTTPS_PROXY: address };
      const failed = proxiedFetch(there, {}, environment);
      await expect(failed).rejects.toThrow(/^The proxy in HTTPS_PROXY is not an address/);
      await expect(failed).rejects.not.toThrow(/secret/);
    },
  );
});

it.each([
  ["the host name", { hostname: "a.test" }, "http://a.test:1", "http://b.test"],
  ["the port", { port: 8080 }, "http://a.test:8080", "http://b.test"],
])(
  "an error with %s of the proxy is blamed on the proxy only if the target has another one",
  (_, fields, address, target) => {
    const error = Object.assign(new Error("no"), { code: "ECONNREFUSED", ...fields });
    const proxies = [{ variable: "HTTP_PROXY", address }];
    expect(proxyFailure(error, proxies, new URL(target))).toBeInstanceOf(ProxyFailure);
    expect(proxyFailure(error, proxies, new URL(`${address}/v1`))).toBeNull();
  },
);
