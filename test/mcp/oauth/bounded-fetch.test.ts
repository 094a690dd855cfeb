import { expect, it, onTestFinished } from "vitest";
import { boundedFetch } from "../../../src/mcp/oauth/bounded-fetch.ts";
import { listen } from "../../support/http-server.ts";

it.each([
  ["<html>my app</html>", 404],
  ["[]", 404],
  ["", 404],
  ['{"issuer":"x"}', 200],
])("a page in the place of metadata is none: %s", async (body, status) => {
  const site = await listen(async (_, response) => void response.writeHead(200).end(body));
  onTestFinished(site.close);
  const { fetch, trouble } = boundedFetch(new URL(site.origin), new AbortController().signal);
  const address = `${site.origin}/.well-known/oauth-authorization-server/mcp`;
  expect((await fetch(address)).status).toBe(status);
  expect(trouble()).toBeNull();
  expect(await (await fetch(`${site.origin}/token`)).text()).toBe(body);
});
