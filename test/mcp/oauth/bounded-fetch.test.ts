import { expect, it, onTestFinished } from "vitest";
import { boundedFetch } from "../../../src/mcp/oauth/bounded-fetch.ts";
import { listen } from "../../support/http-server.ts";

it.each([
  ["<html>my app</html>", 404],
  ["[]", 404],
  ["", 404],
  ['{"issuer":"x"}', 200],
])("a page in place of metadata is not metadata: %s", async (body, status) => {
  const site = await listen(async (_, response) => void response.writeHead(200).end(body));
  onTestFinished(site.close);
  const { fetch, trouble } = boundedFetch(new URL(site.origin), new AbortController().signal);
  const address = `${site.origin}/.well-known/oauth-authorization-server/mcp`;
  expect((await fetch(address)).status).toBe(status);
  expect(trouble()).toBeNull();
  expect(await (await fetch(`${site.origin}/token`)).text()).toBe(body);
});

it("takes null for nothing, and what a registration leaves out for what was sent", async () => {
  const answer = '{"client_id":"a","client_secret":null,"grant_types":["authorization_code"]}';
  const site = await listen(async (_, response) => void response.writeHead(201).end(answer));
  onTestFinished(site.close);
  const { fetch } = boundedFetch(new URL(site.origin), new AbortController().signal);
  const sent = { redirect_uris: ["http://127.0.0.1/"], grant_types: ["refresh_token"] };
  const registered = await fetch(site.origin, { method: "POST", body: JSON.stringify(sent) });
  expect(await registered.json()).toEqual({
    client_id: "a",
    redirect_uris: sent.redirect_uris,
    grant_types: ["authorization_code"],
  });
  const tokens = await fetch(site.origin, { method: "POST", body: new URLSearchParams("a=b") });
  expect(await tokens.json()).toEqual({ client_id: "a", grant_types: ["authorization_code"] });
});
