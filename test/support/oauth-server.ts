/** A protected MCP server and its authorization server on the loopback, which refuse what real ones refuse. */
import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { bodyOf, json, listen } from "./http-server.ts";

export interface OAuthScene {
  /** Of the MCP server. */
  readonly url: string;
  readonly issuer: string;
  /** What the authorization server was asked for, in order: `register`, `authorize`, `token refresh_token`, … */
  readonly asked: string[];
  /** Scopes of the authorization requests, in order; null: none was sent. */
  readonly scopes: (string | null)[];
  /** From here on every access token is refused. */
  expire(): void;
  /** From here on every refresh token is refused too. */
  revoke(): void;
  /** How often a refresh token was used that had been replaced. */
  reused(): number;
  behaviour: Behaviour;
  close(): Promise<void>;
}

export interface Behaviour {
  /** `iss` of the answer, where it is not the issuer. */
  iss?: string;
  state?: string;
  error?: string;
  /** What it calls itself in its metadata and its answers, where that is not its address. */
  issuer?: string;
  /** Where its tokens are fetched, where that is not its address. */
  tokens?: string;
  /** Its tokens come without a refresh token. */
  withoutRefresh?: boolean;
  /** A client that is known beforehand; then there is no registration. */
  client?: { readonly id: string; readonly secret: string };
  /** Registrations are refused with this status. */
  registration?: number;
  /** Takes addresses as ids of clients. */
  metadataDocuments?: boolean;
  /** The token endpoint answers so. */
  tokenFailure?: { readonly status: number; readonly body: string };
  /** What is sent in place of a good answer, which it is given. */
  garble?: (good: object) => Garbled;
}

export interface Garbled {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

interface Grant {
  readonly client: string;
  readonly scope: string;
}

interface Code extends Grant {
  readonly challenge: string;
  readonly redirect: string;
}

interface State {
  issuer: string;
  resource: string;
  behaviour: Behaviour;
  reused: number;
  readonly asked: string[];
  readonly scopes: (string | null)[];
  readonly redirects: Map<string, readonly string[]>;
  readonly codes: Map<string, Code>;
  readonly access: Map<string, Grant>;
  readonly refresh: Map<string, Grant>;
  readonly spent: Set<string>;
}

export async function startOAuthScene(behaviour: Behaviour = {}): Promise<OAuthScene> {
  const state: State = {
    issuer: "",
    resource: "",
    behaviour,
    reused: 0,
    asked: [],
    scopes: [],
    redirects: new Map(),
    codes: new Map(),
    access: new Map(),
    refresh: new Map(),
    spent: new Set(),
  };
  const authorization = await listen((request, response) => authorize(state, request, response));
  const resource = await listen((request, response) => serve(state, request, response));
  state.issuer = authorization.origin;
  state.resource = `${resource.origin}/mcp`;
  return {
    url: state.resource,
    issuer: state.issuer,
    asked: state.asked,
    scopes: state.scopes,
    expire: () => state.access.clear(),
    revoke: () => {
      state.access.clear();
      state.refresh.clear();
    },
    reused: () => state.reused,
    get behaviour() {
      return state.behaviour;
    },
    set behaviour(value) {
      state.behaviour = value;
    },
    close: async () => {
      await Promise.all([authorization.close(), resource.close()]);
    },
  };
}

async function authorize(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "", state.issuer);
  switch (`${request.method} ${url.pathname}`) {
    case "GET /.well-known/oauth-authorization-server":
      return send(state, response, 200, metadata(state));
    case "POST /register":
      return register(state, await bodyOf(request), response);
    case "GET /authorize":
      return grantCode(state, url.searchParams, response);
    case "POST /token":
      return giveTokens(state, request, new URLSearchParams(await bodyOf(request)), response);
    default:
      return json(response, 404, {});
  }
}

/** A good answer, or what the test makes of it. */
function send(
  { behaviour: { garble } }: State,
  response: ServerResponse,
  goodStatus: number,
  good: object,
): void {
  const { status, type, body } = garble
    ? garble(good)
    : { status: goodStatus, type: "application/json", body: JSON.stringify(good) };
  response.writeHead(status, { "content-type": type }).end(body);
}

function metadata({ issuer, behaviour }: State) {
  return {
    issuer: behaviour.issuer ?? issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${behaviour.tokens ?? issuer}/token`,
    ...(behaviour.client || behaviour.metadataDocuments
      ? {}
      : { registration_endpoint: `${issuer}/register` }),
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
    authorization_response_iss_parameter_supported: true,
    ...(behaviour.metadataDocuments ? { client_id_metadata_document_supported: true } : {}),
  };
}

function register(state: State, body: string, response: ServerResponse): void {
  state.asked.push("register");
  const { registration: refused } = state.behaviour;
  if (refused !== undefined) {
    response.writeHead(refused).end(refused === 400 ? '{"error":"invalid_redirect_uri"}' : "No.");
    return;
  }
  const client = z
    .object({ redirect_uris: z.array(z.string()), application_type: z.literal("native") })
    .loose()
    .parse(JSON.parse(body));
  const id = `client-${randomUUID()}`;
  state.redirects.set(id, client.redirect_uris);
  send(state, response, 201, { ...client, client_id: id, token_endpoint_auth_method: "none" });
}

function grantCode(state: State, asked: URLSearchParams, response: ServerResponse): void {
  state.asked.push("authorize");
  state.scopes.push(asked.get("scope"));
  const { behaviour } = state;
  const client = asked.get("client_id") ?? "";
  const redirect = asked.get("redirect_uri") ?? "";
  const isKnown =
    state.redirects.get(client)?.includes(redirect) ||
    client === behaviour.client?.id ||
    (behaviour.metadataDocuments && client.startsWith("https://"));
  const isRight =
    isKnown &&
    asked.get("response_type") === "code" &&
    asked.get("code_challenge_method") === "S256" &&
    asked.get("resource") === state.resource;
  if (!isRight) {
    json(response, 400, { error: "invalid_request" });
    return;
  }
  const target = new URL(redirect);
  target.searchParams.set("state", behaviour.state ?? asked.get("state") ?? "");
  target.searchParams.set("iss", behaviour.iss ?? behaviour.issuer ?? state.issuer);
  if (behaviour.error === undefined) {
    const code = `code-${randomUUID()}`;
    const scope = asked.get("scope") ?? "";
    const challenge = asked.get("code_challenge") ?? "";
    state.codes.set(code, { client, scope, challenge, redirect });
    target.searchParams.set("code", code);
  } else {
    target.searchParams.set("error", behaviour.error);
    target.searchParams.set("error_description", "not \u202ethis time");
  }
  response.writeHead(302, { Location: target.href }).end();
}

function giveTokens(
  state: State,
  request: IncomingMessage,
  asked: URLSearchParams,
  response: ServerResponse,
): void {
  const grant = asked.get("grant_type");
  state.asked.push(`token ${grant}`);
  const { tokenFailure, client } = state.behaviour;
  if (tokenFailure) {
    response.writeHead(tokenFailure.status).end(tokenFailure.body);
    return;
  }
  const basic = `Basic ${Buffer.from(`${client?.id}:${client?.secret}`).toString("base64")}`;
  if (client && request.headers.authorization !== basic) {
    json(response, 401, { error: "invalid_client" });
    return;
  }
  const granted = grantOf(state, asked, client?.id ?? asked.get("client_id"));
  if (granted === null) {
    json(response, 400, { error: "invalid_grant" });
    return;
  }
  const access = `access-${randomUUID()}`;
  state.access.set(access, granted);
  const refresh = `refresh-${randomUUID()}`;
  const isRefreshable = !state.behaviour.withoutRefresh && grant !== "client_credentials";
  if (isRefreshable) state.refresh.set(refresh, granted);
  send(state, response, 200, {
    access_token: access,
    token_type: "Bearer",
    expires_in: 3600,
    scope: granted.scope,
    ...(isRefreshable ? { refresh_token: refresh } : {}),
  });
}

function grantOf(state: State, asked: URLSearchParams, client: string | null): Grant | null {
  if (asked.get("resource") !== state.resource) return null;
  const grant = asked.get("grant_type");
  if (grant === "client_credentials") {
    return { client: client ?? "", scope: asked.get("scope") ?? "" };
  }
  if (grant === "refresh_token") {
    const token = asked.get("refresh_token") ?? "";
    if (state.spent.has(token)) state.reused += 1;
    const found = state.refresh.get(token);
    if (found === undefined || found.client !== client) return null;
    // Good for one use (OAuth 2.1, section 4.3.1).
    state.refresh.delete(token);
    state.spent.add(token);
    return found;
  }
  const code = asked.get("code") ?? "";
  const found = state.codes.get(code);
  state.codes.delete(code);
  const verifier = asked.get("code_verifier") ?? "";
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const isRight =
    found?.client === client &&
    found?.challenge === challenge &&
    found.redirect === asked.get("redirect_uri");
  return isRight && found ? found : null;
}

async function serve(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, origin } = new URL(request.url ?? "", state.resource);
  const described = `${origin}/.well-known/oauth-protected-resource/mcp`;
  if (pathname === new URL(described).pathname) {
    return send(state, response, 200, {
      resource: state.resource,
      authorization_servers: [state.issuer],
    });
  }
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const grant = state.access.get(token);
  const challenge = (text: string) => ({
    "WWW-Authenticate": `Bearer resource_metadata="${described}", ${text}`,
  });
  if (grant === undefined) {
    response.writeHead(401, challenge('scope="read"')).end();
    return;
  }
  const body = request.method === "POST" ? JSON.parse(await bodyOf(request)) : undefined;
  const isWriting = body?.method === "tools/call" && body.params.name === "write";
  if (isWriting && !grant.scope.split(" ").includes("write")) {
    response.writeHead(403, challenge('error="insufficient_scope", scope="write"')).end();
    return;
  }
  const server = new McpServer({ name: "protected", version: "1" });
  for (const name of ["read", "write"]) {
    server.registerTool(name, { description: name, inputSchema: {} }, () => ({
      content: [{ type: "text", text: `done: ${name}` }],
    }));
  }
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.once("close", () => void server.close());
  // The SDK's own types do not fit together under exactOptionalPropertyTypes.
  await server.connect(transport as never);
  await transport.handleRequest(request, response, body);
}
