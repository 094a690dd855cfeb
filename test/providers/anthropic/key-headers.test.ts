/** In which headers a key reaches Anthropic and the servers that speak its API. */
import { expect, onTestFinished, test, vi } from "vitest";
import { olderKeyHeader, olderKeyHeaders } from "../../../src/providers/anthropic/key-headers.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ask, requestTo, textOf, user } from "../parts.ts";
import { serve } from "../served.ts";

test.each([
  ["a vendor's gateway", "anthropic", {}],
  ["a server of one's own", "own", { api: "anthropic-messages" }],
] as const)("%s gets the key in both, since each takes one", async (_, provider, settings) => {
  const server = await serve({ text: "Hi." });
  const own = { ...settings, base_url: server.url, api_key: "sk-key-1" };
  const models = createModels({ providers: { [provider]: own }, environment: {} });
  expect(textOf(await ask(models, requestTo(provider, "m", [user("hi")])))).toBe("Hi.");
  expect(server.requests[0]?.headers).toMatchObject({
    authorization: "Bearer sk-key-1",
    "x-api-key": "sk-key-1",
  });
});

test("a header of the configuration has precedence, and without a key there is none", async () => {
  const server = await serve({ text: "Hi." }, { text: "Hi." });
  const own = { api: "anthropic-messages", base_url: server.url } as const;
  const headers = { "x-api-key": "plain-gate-1" };
  const settings = [{ ...own, api_key: "sk-key-1", headers }, own];
  for (const each of settings) {
    const models = createModels({ providers: { own: each }, environment: {} });
    expect(textOf(await ask(models, requestTo("own", "m", [user("hi")])))).toBe("Hi.");
  }
  const [first, second] = server.requests.map((each) => each.headers);
  expect(first).toMatchObject({ authorization: "Bearer sk-key-1", "x-api-key": "plain-gate-1" });
  expect(second).not.toHaveProperty("authorization");
  expect(second).not.toHaveProperty("x-api-key");
});

test("Anthropic's own address gets it in one, by the version of the API", () => {
  const own = { apiKey: "k", baseUrl: "https://api.anthropic.com", environment: {} };
  expect(olderKeyHeader(own)).toEqual({});
  expect(olderKeyHeaders(own)).toEqual({ "X-Api-Key": "k" });
  const other = { ...own, baseUrl: "https://api.anthropic.com.evil" };
  expect(olderKeyHeader(other)).toEqual({ "X-Api-Key": "k" });
});

test("a header of the SDK's own variable wins", async () => {
  vi.stubEnv("ANTHROPIC_CUSTOM_HEADERS", "X-Team: ours\nx-api-key: plain-gate-2");
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await serve({ text: "Hi." });
  const anthropic = { base_url: server.url, api_key: "sk-key-1" };
  const models = createModels({ providers: { anthropic }, environment: process.env });
  expect(textOf(await ask(models, requestTo("anthropic", "m", [user("hi")])))).toBe("Hi.");
  expect(server.requests[0]?.headers["x-api-key"]).toBe("plain-gate-2");
});
