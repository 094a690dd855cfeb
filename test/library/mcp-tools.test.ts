/** MCP servers of programs: what they need from the program, above all a token, since the library does not log in. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openMcpServers } from "../../src/library/mcp-tools.ts";
import { executeTool } from "../../src/tools/execute-tool.ts";
import { bodyOf, listen } from "../support/http-server.ts";
import { everythingServer } from "../support/real-servers.ts";
import { modern } from "../support/remote-server.ts";

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server behind a proxy that accepts one token. */
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
    // No separate event stream: it would outlive the test.
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { authorization: _, host: __, connection: ___, ...headers } = request.headers;
    const passed = await fetch(`http://127.0.0.1:${remote.port}/mcp`, {
      method: "POST",
      headers: headers as Record<string, string>,
      body: await bodyOf(request),
    });
    // A streamed answer lasts until the test's server closes.
    const text = await passed.text().catch(() => null);
    if (text === null) return void response.destroy();
    const type = passed.headers.get("content-type");
    response.writeHead(passed.status, type === null ? {} : { "Content-Type": type });
    response.end(text);
  });
  closing.push(door.close);
  return { url: `${door.origin}/mcp`, seen };
}

it("asks the program for a token and sends it with every request", async () => {
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

it("connects with a new token from the program after the server refuses the first", async () => {
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

it("reports a server that refuses every token, without showing the token", async () => {
  const { url } = await guarded(() => "other");
  const servers = await openMcpServers({ door: { url } }, { token: async () => "very-secret" });
  closing.push(() => servers.close());
  expect(servers.tools).toEqual([]);
  expect(servers.notices.join()).toContain("door");
  expect(servers.notices.join()).not.toContain("very-secret");
});

it("starts configured servers with envFile, inputs and includeTools", async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-servers-"));
  closing.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(folder, "server.env"), "# mine\nexport A='from the file'\nB=lost\n");
  const everything = {
    command: process.execPath,
    args: [everythingServer],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how configurations write it.
    env: { B: "${input:b}", C: `\${cmd:node -p 6*7}` },
    envFile: "server.env",
    includeTools: ["get-env"],
  };
  const servers = await openMcpServers(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how configurations write it.
    { everything, other: { ...everything, env: { B: "${input:c}" } } },
    { workingFolder: folder, input: (id) => (id === "b" ? "typed" : null) },
  );
  closing.push(() => servers.close());
  expect(servers.tools.map(({ name }) => name)).toEqual(["mcp__everything__get-env"]);
  expect(servers.notices.filter((notice) => notice.startsWith("MCP server other"))).toEqual([
    expect.stringContaining("Its input c has no value; the option input of openMcpServers gives"),
  ]);
  const call = { id: "c1", name: "mcp__everything__get-env", arguments: "{}" };
  const context = { signal: new AbortController().signal, progress: () => {} };
  const { text } = await executeTool(servers.tools[0]!, call, context);
  expect(JSON.parse(text)).toMatchObject({ A: "from the file", B: "typed", C: "42" });
});
