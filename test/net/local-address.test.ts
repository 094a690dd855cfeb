import { expect, it } from "vitest";
import { isLocalAddress } from "../../src/net/local-address.ts";

it.each([
  "http://localhost",
  "http://LOCALHOST:11434/v1",
  "https://127.1",
  "http://127.8.9.10",
  "http://2130706433",
  "http://[::1]:80",
  "http://[::]",
  "http://0.0.0.0:8080",
])("isLocalAddress is true for %s", (address) => {
  expect(isLocalAddress(address)).toBe(true);
  expect(isLocalAddress(new URL(address))).toBe(true);
});

it.each([
  "",
  "localhost",
  "http://localhost.example.test",
  "http://mcp.localhost",
  "http://127.0.0.1.example.test",
  "http://127.0.0.1@example.test",
  "http://128.0.0.1",
  "http://10.0.0.1",
  "http://[::2]",
])("isLocalAddress is false for “%s”", (address) => {
  expect(isLocalAddress(address)).toBe(false);
});
