/** Which addresses bypass the proxy, in the common forms of NO_PROXY. */
import { expect, test } from "vitest";
import { bypassesProxy } from "../../src/net/no-proxy.ts";

test.each([
  ["localhost", "http://api.test", false],
  ["api.test", "https://api.test/v1", true],
  ["API.test", "https://api.TEST/v1", true],
  ["api.test", "https://eu.api.test", true],
  ["api.test", "https://myapi.test", false],
  [".api.test", "https://api.test", true],
  ["*.api.test", "https://eu.api.test", true],
  ["a.test, b.test  c.test", "https://c.test", true],
  ["api.test:8443", "https://api.test", false],
  ["api.test:8443", "https://api.test:8443", true],
  ["api.test:443", "https://api.test", true],
  ["*", "https://api.test", true],
  ["a.test,*", "https://api.test", true],
  ["", "https://api.test", false],
  [",", "https://api.test", false],
  ["10.1.2.3", "http://10.1.2.3:8000/v1", true],
  ["10.0.0.0/8", "http://10.1.2.3:8000/v1", true],
  ["10.0.0.0/8", "http://11.1.2.3:8000/v1", false],
  ["10.0.0.0/8:8000", "http://10.1.2.3:8000/v1", true],
  ["10.0.0.0/99", "http://10.1.2.3", false],
  ["10.0.0.0/x", "http://10.1.2.3", false],
  ["0.1.2.3", "http://10.1.2.3", false],
  ["fd00::/8", "http://[fd12::1]:8000", true],
  ["fd12::1", "http://[fd12::1]:8000", true],
  ["[fd12::1]:8000", "http://[fd12::1]:8000", true],
  ["[fd12::1]", "http://[fd12::1]:8000", true],
  ["10.0.0.0/8", "http://[fd12::1]", false],
  ["a.test", "no address", false],
])("bypassesProxy with NO_PROXY=%s and address %s is %s", (noProxy, address, is) => {
  expect(bypassesProxy(address, noProxy)).toBe(is);
});

test.each(["http://localhost:11434/v1", "http://127.0.0.1:8080", "http://[::1]:8080"])(
  "bypassesProxy is always true for %s on this machine",
  (address) => {
    expect(bypassesProxy(address, "")).toBe(true);
  },
);
