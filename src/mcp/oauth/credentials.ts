/** What a login leaves behind, and the interface of the store that keeps it. */
import * as z from "zod";

const tokensSchema = z.object({
  access_token: z.string(),
  token_type: z.string(),
  refresh_token: z.string().exactOptional(),
  expires_in: z.number().exactOptional(),
  scope: z.string().exactOptional(),
  /** The authorization server that issued them. */
  issuer: z.string(),
});
export type Tokens = z.output<typeof tokensSchema>;

const clientSchema = z.object({
  client_id: z.string(),
  /** Only of a dynamically registered client; the secret of a configured one stays in the configuration. */
  client_secret: z.string().exactOptional(),
  token_endpoint_auth_method: z.string().exactOptional(),
  issuer: z.string(),
});
export type RegisteredClient = z.output<typeof clientSchema>;

const credentialsSchema = z.object({
  /** The issuer of the last login. */
  latest: z.string(),
  /** A client and its tokens are only valid at the authorization server that issued them (RFC 6749, section 2.2). */
  issuers: z.record(
    z.string(),
    z.object({ client: clientSchema.exactOptional(), tokens: tokensSchema.exactOptional() }),
  ),
  /** Scopes that a call needed but the login lacks; the next login requests them as well. */
  wanted: z.string().exactOptional(),
});
export type Credentials = z.output<typeof credentialsSchema>;

const loginsSchema = z.object({
  version: z.literal(1),
  servers: z.record(z.string(), credentialsSchema),
  /** Servers whose credentials are in a keychain, each with a text that changes whenever the credentials do. */
  kept: z.record(z.string(), z.string()).exactOptional(),
});
/** All servers' credentials, keyed by server address, as stored in a file. */
export type KeptLogins = z.output<typeof loginsSchema>;

/** Null if the value is not valid. */
export function readLogins(value: unknown): KeptLogins | null {
  return loginsSchema.safeParse(value).data ?? null;
}

/** Reads the credentials of one server. Null if the value is not valid. */
export function readCredentials(value: unknown): Credentials | null {
  return credentialsSchema.safeParse(value).data ?? null;
}

/** The secrets of one server. All methods reject with an error for the user if the store cannot be accessed. */
export interface CredentialStore {
  read(server: string): Promise<Credentials | null>;
  /** Runs one change at a time across all processes; a change to null deletes the server's credentials. */
  change(server: string, to: (now: Credentials | null) => Credentials | null): Promise<void>;
  /** Holds a lock across processes, so that no other `alone` runs for this server meanwhile. */
  alone<T>(server: string, work: () => Promise<T>): Promise<T>;
}

/** The tokens to use: those of the last login, if the configured client (null: a registered one) got them. */
export function tokensInUse(
  credentials: Credentials | null,
  { clientId }: { readonly clientId: string | null },
  issuer = credentials?.latest,
): Tokens | null {
  const entry = issuer === undefined ? undefined : credentials?.issuers[issuer];
  if (clientId !== null && entry?.client?.client_id !== clientId) return null;
  return entry?.tokens ?? null;
}

/** Replaces the client and its tokens for the tokens' issuer. */
export function withTokens(
  now: Credentials | null,
  client: RegisteredClient,
  tokens: Tokens,
): Credentials {
  const issuers = { ...now?.issuers, [tokens.issuer]: { client, tokens } };
  return { ...now, latest: tokens.issuer, issuers };
}

/** Clears `wanted` after a login, which has requested all of it. */
export function withoutWantedScopes(now: Credentials | null): Credentials | null {
  if (now === null) return null;
  const { wanted: _, ...kept } = now;
  return kept;
}

/** Keeps the client, so that a later login can use it again. */
export function withoutTokens(now: Credentials | null, issuer: string): Credentials | null {
  const { tokens: _, ...kept } = now?.issuers[issuer] ?? {};
  return now && { ...now, issuers: { ...now.issuers, [issuer]: kept } };
}
