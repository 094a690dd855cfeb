/** A login by keys in every supported Neovim, with a browser that the test is. */
import { mkdir, mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";
import { type OAuthScene, startOAuthScene } from "../support/oauth-server.ts";

let editor: TestNeovim | undefined;
let server: OAuthScene | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  await server?.close();
  editor = undefined;
  server = undefined;
});

/** Keeps what is opened, as a browser would. */
const browser = `Opened = {}
vim.ui.open = function(address) table.insert(Opened, address) end`;

async function open(path: string) {
  const home = await mkdtemp(join(tmpdir(), "parley-login-"));
  const folder = join(home, "config", "nvim", "parley");
  await mkdir(folder, { recursive: true });
  const protectedServer = await startOAuthScene();
  server = protectedServer;
  const servers = { safe: { type: "http", url: protectedServer.url } };
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers: servers }));
  const turns = [{ text: "Without it." }, { text: "Done." }];
  await writeFile(join(home, "script.json"), JSON.stringify({ turns }));
  const chat = `---\nmodel: mock/file:${join(home, "script.json")}\n---\n\n💬: read it\n`;
  const nvim = await TestNeovim.start({ path, home, chat: { text: chat }, init: browser });
  editor = nvim;
  await nvim.ready();
  return { nvim, server: protectedServer, state: join(home, "state", "nvim", "parley") };
}

const said = (nvim: TestNeovim, pattern: RegExp) =>
  nvim.until(`a message ${pattern}`, async () => pattern.test(await nvim.messages()));

/** What the question shows, which takes the whole screen. */
async function asks(nvim: TestNeovim): Promise<void> {
  await nvim.until("the question", async () => {
    const { mode } = z
      .object({ mode: z.string() })
      .parse(await nvim.client.request("nvim_get_mode", []));
    return mode.startsWith("c") || mode.startsWith("r");
  });
}

async function opened(nvim: TestNeovim): Promise<string> {
  return nvim.until("an address for the browser", async () => {
    const addresses = z.array(z.string()).parse(await nvim.lua("return Opened"));
    return addresses.at(-1);
  });
}

describe.each(oneNeovim)("a login in Neovim $version", ({ path }) => {
  it("is wanted, made by keys and a browser, used, and forgotten", async () => {
    const { nvim, server: protectedServer, state } = await open(path);
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(/Without it\./);
    await said(nvim, /MCP server safe: .*:Parley mcp login safe/s);
    expect(protectedServer.asked).toEqual([]);
    expect(await nvim.lua("return Opened")).toEqual([]);
    await nvim.command("Parley mcp login safe");
    await asks(nvim);
    await nvim.input("1<CR>");
    const address = await opened(nvim);
    expect(address).toContain(`${protectedServer.issuer}/authorize?`);
    const page = await fetch(address);
    expect(await page.text()).toContain("Parley has the answer");
    await said(nvim, /Logged in\. MCP server safe: ready, 2 tools/);
    const file = join(state, "oauth.json");
    const kept = await readFile(file, "utf8");
    expect(kept).toContain("refresh-");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(state)).mode & 0o777).toBe(0o700);
    const log = await readFile(join(state, "parley.log"), "utf8");
    const secrets = kept.match(/(?:access|refresh)-[0-9a-f-]+/g) ?? [];
    expect(secrets).toHaveLength(2);
    for (const secret of [...secrets, "code-"]) expect(log).not.toContain(secret);
    await nvim.command("Parley mcp logout safe");
    await said(nvim, /Parley has forgotten the login to safe/);
    expect(await readFile(file, "utf8")).not.toContain("refresh-");
  });

  it("opens nothing after a no, and takes a pasted answer", async () => {
    const { nvim, server: protectedServer } = await open(path);
    await nvim.command("Parley mcp login safe");
    await asks(nvim);
    await nvim.input("3<CR>");
    await said(nvim, /You declined/);
    expect(protectedServer.asked).not.toContain("authorize");
    await nvim.command("Parley mcp login safe");
    await asks(nvim);
    await nvim.input("2<CR>");
    const text = await nvim.untilText(/^http:\/\/127\.0\.0\.1:\d+\/authorize\?.+$/m);
    const address = /^http:.*$/m.exec(text)?.[0] ?? "";
    const page = await fetch(address, { redirect: "manual" });
    const answer = page.headers.get("location") ?? "";
    await nvim.command("Parley mcp login safe");
    await asks(nvim);
    await nvim.input(`${answer}<CR>`);
    await said(nvim, /Logged in\. MCP server safe: ready/);
    expect(await nvim.lua("return Opened")).toEqual([]);
    await expect(fetch(answer)).rejects.toThrow();
  });
});
