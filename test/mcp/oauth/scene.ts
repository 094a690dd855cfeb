/** A protected server, a place for its tokens, and a client as the connections make it. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { createOAuthStore } from "../../../src/app/servers/oauth-store.ts";
import type { LoginOptions, LoginRequest, Visit } from "../../../src/mcp/oauth/flow.ts";
import { createOAuthLogin, type OAuthLogin } from "../../../src/mcp/oauth/login.ts";
import type { OAuthSettings } from "../../../src/mcp/oauth/settings.ts";
import { defaultOAuthSettings } from "../../support/configuration.ts";
import { type Behaviour, type OAuthScene, startOAuthScene } from "../../support/oauth-server.ts";

export interface Scene {
  readonly server: OAuthScene;
  readonly folder: string;
  /** A session as another Neovim of the same user has it. */
  session(settings?: Partial<OAuthSettings>): OAuthLogin;
  /** The whole of oauth.json. */
  file(): Promise<string>;
}

export async function openScene(behaviour?: Behaviour): Promise<Scene> {
  const server = await startOAuthScene(behaviour);
  const folder = await mkdtemp(join(tmpdir(), "parley-oauth-"));
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    server,
    folder,
    session: (settings = {}) =>
      createOAuthLogin({
        server: server.url,
        settings: { ...defaultOAuthSettings, ...settings },
        store: createOAuthStore(folder),
      }),
    file: () => readFile(join(folder, "oauth.json"), "utf8"),
  };
}

/** Says yes, and goes where the page sends it, as a browser does. */
export async function browse({ url }: LoginRequest): Promise<Visit> {
  const page = await fetch(url);
  await page.text();
  return { type: "opened" };
}

export function loginAs(visit: LoginOptions["visit"]): LoginOptions {
  return { visit, signal: new AbortController().signal, timeoutMs: 10_000 };
}

/** One call on a connection of its own; rejects as the SDK does. */
export async function callTool(scene: Scene, session: OAuthLogin, name: string): Promise<string> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(scene.server.url), {
    authProvider: session.authProvider,
  });
  try {
    await client.connect(transport);
    const { content } = await client.callTool({ name, arguments: {} });
    return content.map((part) => (part.type === "text" ? part.text : "")).join();
  } finally {
    await client.close();
  }
}

/** Logs in with the browser above, after the refusal that a connection meets first. */
export async function logIn(scene: Scene, session: OAuthLogin): Promise<void> {
  await callTool(scene, session, "read").catch(() => {});
  await session.login(loginAs(browse));
}
