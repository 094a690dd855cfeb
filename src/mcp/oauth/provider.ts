/** Adapts a server's stored login to the SDK: a provider that never involves the user, and one for a login. */

import {
  ClientCredentialsProvider,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  PrivateKeyJwtProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { given } from "../../shared/given.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import {
  type CredentialStore,
  type Credentials,
  type RegisteredClient,
  type Tokens,
  tokensInUse,
  withoutTokens,
  withTokens,
} from "./credentials.ts";
import type { OAuthSettings } from "./settings.ts";

export interface ServerLogin {
  /** The server's address. */
  readonly server: string;
  readonly settings: OAuthSettings;
  readonly store: CredentialStore;
}

/** Refreshes tokens and does nothing that needs the user: it registers no client and opens no browser. */
export function silentProvider({ server, settings, store }: ServerLogin): OAuthClientProvider {
  const entryOf = async (context: OAuthClientInformationContext | undefined) => {
    const credentials = await store.read(server);
    const issuer = context?.issuer ?? credentials?.latest;
    return { credentials, issuer, client: credentials?.issuers[issuer ?? ""]?.client };
  };
  return {
    // Without a redirect address the SDK assumes a machine client. Nothing is ever sent to this one.
    redirectUrl: "http://127.0.0.1/callback",
    clientMetadata: { redirect_uris: ["http://127.0.0.1/callback"] },
    async clientInformation(context) {
      const { credentials, client } = await entryOf(context);
      return configuredClient(settings, credentials) ?? client;
    },
    async tokens(context) {
      const { credentials, issuer } = await entryOf(context);
      return tokensInUse(credentials, settings, issuer) ?? undefined;
    },
    async saveTokens(tokens, context) {
      const { client, issuer } = await entryOf(context);
      if (client === undefined || issuer === undefined) return;
      await store.change(server, (now) => {
        const scope = now?.issuers[issuer]?.tokens?.scope;
        return withTokens(now, client, toTokens(tokens, issuer, scope));
      });
    },
    async invalidateCredentials(what) {
      const issuer = (await store.read(server))?.latest;
      if (issuer === undefined || (what !== "tokens" && what !== "all")) return;
      await store.change(server, (now) => withoutTokens(now, issuer));
    },
    saveDiscoveryState: (found) => checkIssuer(settings, found),
    redirectToAuthorization() {},
    saveCodeVerifier() {},
    codeVerifier() {
      throw new Error("No login is under way.");
    },
  };
}

/**
 * Some authorization servers give another issuer than the address at which they are found, against RFC 8414:
 * Atlassian's, Slack's and PagerDuty's (atlassian/atlassian-mcp-server#205, PagerDuty/pagerduty-mcp-server#169). A
 * configured `issuer` names the only server that may get the code. Metadata found at the issuer's own address may name
 * another host for the tokens, as Google's does; metadata found elsewhere may not.
 * @throws an error for the user, before anything is sent
 */
function checkIssuer(
  { issuer }: OAuthSettings,
  { authorizationServerUrl, authorizationServerMetadata: metadata }: OAuthDiscoveryState,
): void {
  if (issuer === null) return;
  const isIssuer = (url: string) => withoutEnd(url, "/") === withoutEnd(issuer, "/");
  const named = metadata?.issuer ?? authorizationServerUrl;
  if (!isIssuer(named)) {
    throw new Error(
      `The authorization server is ${named}, and the configured issuer is ${issuer}, so nothing was sent there. Correct issuer in the server's oauth.`,
    );
  }
  if (isIssuer(authorizationServerUrl)) return;
  const address = metadata?.token_endpoint ?? authorizationServerUrl;
  const hosts = [address, issuer].map((url) => (URL.canParse(url) ? new URL(url).host : ""));
  const [host = "", owner = ""] = hosts;
  if (host === owner || host.endsWith(`.${owner}`) || owner.endsWith(`.${host}`)) return;
  throw new Error(
    `The authorization server would have its tokens fetched from ${host}, which is not the configured issuer ${issuer}, so nothing was sent there.`,
  );
}

export interface LoginProvider extends OAuthClientProvider {
  /** The address for the browser; null before the SDK has made it. */
  authorizationUrl(): URL | null;
  /** Texts that no message may contain. */
  secrets(): readonly string[];
}

/** One login: a new verifier and state, and, unless a client is configured, a new registration for this port. */
export function loginProvider(
  { server, settings, store }: ServerLogin,
  credentials: Credentials | null,
  { redirectUrl, state }: { readonly redirectUrl: string; readonly state: string },
): LoginProvider {
  let authorizationUrl: URL | null = null;
  let client: StoredOAuthClientInformation | undefined;
  let verifier = "";
  let discovery: OAuthDiscoveryState | undefined;
  const configured = configuredClient(settings, credentials);
  const registering: Pick<OAuthClientProvider, "saveClientInformation"> = {
    saveClientInformation(information) {
      client = information;
    },
  };
  return {
    redirectUrl,
    clientMetadata: clientMetadata(redirectUrl),
    ...(settings.clientMetadataUrl === null
      ? {}
      : { clientMetadataUrl: settings.clientMetadataUrl }),
    state: () => state,
    clientInformation: () => configured ?? client,
    // A configured client exists at one authorization server only; without this method the SDK refuses all others.
    ...(configured ? {} : registering),
    tokens: () => undefined,
    async saveTokens(tokens, context) {
      const issuer = context?.issuer ?? tokens.issuer ?? "";
      const known = configured ? { ...configured, issuer } : client;
      if (known === undefined) throw new Error("There is no client that these tokens belong to.");
      const kept = toClient(known, issuer, configured !== undefined);
      const asked = authorizationUrl?.searchParams.get("scope") ?? undefined;
      await store.change(server, (now) => withTokens(now, kept, toTokens(tokens, issuer, asked)));
    },
    redirectToAuthorization(url) {
      authorizationUrl = url;
    },
    saveCodeVerifier(text) {
      verifier = text;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(found) {
      checkIssuer(settings, found);
      discovery = found;
    },
    discoveryState: () => discovery,
    authorizationUrl: () => authorizationUrl,
    secrets: () =>
      [verifier, state, settings.clientSecret, client?.client_secret].filter(
        (secret) => typeof secret === "string" && secret !== "",
      ) as string[],
  };
}

/** For a client that logs in as itself (client_credentials). Its tokens stay in memory, since new ones cost nothing. */
export function machineProvider({ settings }: ServerLogin): OAuthClientProvider {
  const { clientId, clientSecret, privateKey, algorithm, scope, issuer } = settings;
  const common = {
    clientId: clientId ?? "",
    clientName: "Parley",
    ...given({ scope, expectedIssuer: issuer }),
  };
  if (privateKey !== null) return new PrivateKeyJwtProvider({ ...common, privateKey, algorithm });
  return new ClientCredentialsProvider({ ...common, clientSecret: clientSecret ?? "" });
}

/** How Parley describes itself in a registration (RFC 7591). */
function clientMetadata(redirectUrl: string): OAuthClientMetadata {
  return {
    client_name: "Parley",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: "native",
  };
}

/** The configured client, with its issuer if that is known. */
function configuredClient(
  { clientId, clientSecret, issuer }: OAuthSettings,
  credentials: Credentials | null,
): StoredOAuthClientInformation | undefined {
  if (clientId === null) return undefined;
  const last = credentials?.issuers[credentials.latest]?.client;
  const pinned = issuer ?? (last?.client_id === clientId ? last.issuer : null);
  return {
    client_id: clientId,
    ...given({ client_secret: clientSecret, issuer: pinned }),
  };
}

function toTokens(
  { access_token, token_type, refresh_token, expires_in, scope }: StoredOAuthTokens,
  issuer: string,
  askedScope: string | undefined,
): Tokens {
  // A response without a scope grants the requested one (RFC 6749, section 5.1).
  const granted = scope ?? askedScope;
  return {
    access_token,
    token_type,
    issuer,
    ...given({ refresh_token, expires_in, scope: granted }),
  };
}

function toClient(
  information: StoredOAuthClientInformation,
  issuer: string,
  isConfigured: boolean,
): RegisteredClient {
  const { client_id, client_secret } = information;
  const method =
    "token_endpoint_auth_method" in information ? information.token_endpoint_auth_method : null;
  return {
    client_id,
    issuer,
    ...given({
      client_secret: client_secret === undefined || isConfigured ? null : client_secret,
      token_endpoint_auth_method: typeof method === "string" ? method : null,
    }),
  };
}
