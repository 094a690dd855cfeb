/** MCP servers that want a token, which the program gets: nothing here logs in. */
import { afterEach, expect, it } from "vitest";
import { openMcpServers } from "../../src/library/mcp-tools.ts";
import { bodyOf, listen } from "../support/http-server.ts";
import { modern } from "../support/remote-server.ts";

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server behind a door that opens to one token. */
async function guarded(valid: () => string) {
  const remote = await modern("stateless");
  const seen: string[] = [];
  const door = await listen(async (request, response) => {
    const given = request.headers.authorization ?? "none";
    seen.push(given);
    if (given !== `Bearer ${valid()}`) {
      response.writeHead(401, { "WWW-Authenticate": 'Bearer error="invalid_token"' }).end();
      return;
    }
    // No stream of the server's own: it would outlive the test.
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { authorization: _, host: __, connection: ___, ...headers } = request.headers;
    const passed = await fetch(`http://127.0.0.1:${remote.port}/mcp`, {
      method: "POST",
      headers: headers as Record<string, string>,
      body: await bodyOf(request),
    });
    // An answer that is a stream lasts until the server of the test is gone.
    const text = await passed.text().catch(() => null);
    if (text === null) return void response.destroy();
    const type = passed.headers.get("content-type");
    response.writeHead(passed.status, type === null ? {} : { "Content-Type": type });
    response.end(text);
  });
  closing.push(door.close);
  return { url: `${door.origin}/mcp`, seen };
}

it("asks the program for a token, and for another one after a 401", async () => {
  const valid = "first";
  const { url, seen } = await guarded(() => valid);
  const asked: { name: string; url: string; isRefused: boolean }[] = [];
  const servers = await openMcpServers(
    { door: { url } },
    {
      async token(server, last) {
        asked.push({ ...server, ...last });
        return last.isRefused ? valid : "first";
      },
    },
  );
  closing.push(() => servers.close());
  expect(servers.notices).toEqual([]);
  expect(servers.tools.length).toBeGreaterThan(0);
  expect(asked[0]).toEqual({ name: "door", url, isRefused: false });
  expect(new Set(seen)).toEqual(new Set(["Bearer first"]));
});

it("takes the token that the program gives after the server refused one", async () => {
  const { url, seen } = await guarded(() => "second");
  const servers = await openMcpServers(
    { door: { url } },
    {
      token: async (_, { isRefused }) =>
        isRefused || seen.includes("Bearer second") ? "second" : "first",
    },
  );
  closing.push(() => servers.close());
  expect(servers.notices).toEqual([]);
  expect(servers.tools.length).toBeGreaterThan(0);
  expect(seen[0]).toBe("Bearer first");
});

it("says what is missing where nothing helps, and shows no token", async () => {
  const { url } = await guarded(() => "other");
  const servers = await openMcpServers({ door: { url } }, { token: async () => "very-secret" });
  closing.push(() => servers.close());
  expect(servers.tools).toEqual([]);
  expect(servers.notices.join()).toContain("door");
  expect(servers.notices.join()).not.toContain("very-secret");
});
