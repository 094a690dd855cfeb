/** The client under test: our connection and our login, driven as each scenario of the suite wants it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { createOAuthStore } from "../../src/app/servers/oauth-store.ts";
import { createClientFeatures } from "../../src/mcp/asking/client-features.ts";
import type { Dialogue } from "../../src/mcp/asking/dialogue.ts";
import { type Connection, connect } from "../../src/mcp/client/connection.ts";
import type { LoginRequest, Visit } from "../../src/mcp/oauth/flow.ts";
import { createOAuthLogin, type OAuthLogin } from "../../src/mcp/oauth/login.ts";
import type { OAuthSettings } from "../../src/mcp/oauth/settings.ts";
import { defaultOAuthSettings } from "../support/configuration.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const minute = 60_000;
/** A user gives up when a server always wants more. */
const loginsAtMost = 3;

async function main(): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), "parley-conformance-state-"));
  try {
    const settings = { ...defaultOAuthSettings, ...(await settingsOfScenario()) };
    const store = createOAuthStore(state);
    await drive(createOAuthLogin({ server: url, settings, store }));
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

async function settingsOfScenario(): Promise<Partial<OAuthSettings>> {
  switch (scenario) {
    case "auth/basic-cimd":
      return { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" };
    case "auth/pre-registration":
      return { clientId: context.client_id, clientSecret: context.client_secret };
    case "auth/client-credentials-basic":
    case "auth/client-credentials-jwt":
      return {
        isMachine: true,
        issuer: await issuerOf(url),
        clientId: context.client_id,
        clientSecret: context.client_secret ?? null,
        privateKey: context.private_key_pem ?? null,
        algorithm: context.signing_algorithm ?? "ES256",
      };
    default:
      return {};
  }
}

/** What the user who configures a machine's login knows. */
async function issuerOf(server: string): Promise<string> {
  const { origin, pathname } = new URL(server);
  const described = await get(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  const { authorization_servers: servers } = z
    .object({ authorization_servers: z.array(z.string()) })
    .parse(described);
  const metadata = await get(`${servers[0]}/.well-known/oauth-authorization-server`);
  return z.object({ issuer: z.string() }).parse(metadata).issuer;
}

async function get(address: string): Promise<unknown> {
  return (await fetch(address)).json();
}

async function drive(login: OAuthLogin): Promise<void> {
  let logins = 0;
  let connection: Connection | null = null;
  /** Does what a user does when a server wants a login: logs in, and tries again. */
  const withLogin = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        connection ??= await open(login);
        return await work(connection);
      } catch (error) {
        if (!scenario.startsWith("auth/") || logins >= loginsAtMost) throw error;
        say(error);
        logins += 1;
        const { signal } = callOptions;
        await login.login({ visit: browse, signal, timeoutMs: minute });
        await connection?.close("quick");
        connection = null;
      }
    }
  };
  const { tools } = await withLogin((one) => one.listTools());
  say(`tools: ${tools.map(({ name }) => name).join(", ")}`);
  for (const { name, args } of callsOf(tools)) {
    await withLogin(async (one) => {
      const { status, text } = await one.callTool(name, args, callOptions);
      say(`${name}: ${status} ${text}`);
      if (status !== "ok") throw new Error(text);
    });
  }
  await withLogin((one) => one.close("quick"));
}

const callOptions = {
  signal: new AbortController().signal,
  timeoutMs: minute,
  progress: () => {},
};

function open(login: OAuthLogin): Promise<Connection> {
  const nothing = () => {};
  return connect(
    { url: new URL(url), transport: "http", login },
    {
      version: "0",
      name: "conformance",
      connectTimeoutMs: minute,
      startTimeoutMs: 30_000,
      signal: callOptions.signal,
      features,
      onToolsChanged: nothing,
      onStderr: nothing,
      onEnded: nothing,
      log: say,
    },
  );
}

/** Answers every form with the defaults it offers. */
const user: Dialogue = {
  async select({ items }) {
    const wanted = ["Answer", "Send"].map((item) => items.indexOf(item)).find((at) => at >= 0);
    return wanted ?? 0;
  },
  input: async (_, text) => text,
  fill: async ({ lines }) => lines,
  openAddress: async () => null,
};

interface Listed {
  readonly name: string;
  readonly inputSchema: unknown;
}

function callsOf(tools: readonly Listed[]): { name: string; args: Record<string, unknown> }[] {
  if (scenario === "json-schema-ref-no-deref" || scenario === "request-metadata") return [];
  if (scenario === "json-schema-2020-12-preservation") {
    const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema;
    return [{ name: "json_schema_echo", args: { schema } }];
  }
  const planned = context.toolCalls;
  if (Array.isArray(planned)) {
    return planned.map(({ name, arguments: args = {} }) => ({ name, args }));
  }
  return tools.map(({ name }) => ({ name, args: name === "add_numbers" ? { a: 2, b: 3 } : {} }));
}

const features = createClientFeatures({
  roots: async () => [],
  user,
  sampler: {
    model: () => "none/none",
    answer: () => Promise.reject(new Error("There is no model here.")),
  },
  sampling: "off",
  notify: (_, message) => say(message),
  toolsChanged: () => {},
  toolsMayHaveChanged: () => {},
});

/** A user who says yes, and a browser that goes where it is sent. */
async function browse({ url: address }: LoginRequest): Promise<Visit> {
  const page = await fetch(address);
  await page.text();
  return { type: "opened" };
}

function say(what: unknown): void {
  process.stderr.write(`${what instanceof Error ? what.message : String(what)}\n`);
}

main().catch((error: unknown) => {
  say(error);
  process.exitCode = 1;
});
