/** What a login leaves behind, kept by whoever has a place for secrets. */
import * as z from "zod";

const tokensSchema = z.object({
  access_token: z.string(),
  token_type: z.string(),
  refresh_token: z.string().exactOptional(),
  expires_in: z.number().exactOptional(),
  scope: z.string().exactOptional(),
  /** The authorization server that gave them. */
  issuer: z.string(),
});
export type Tokens = z.output<typeof tokensSchema>;

const clientSchema = z.object({
  client_id: z.string(),
  /** Of a client that the authorization server registered; a configured one stays in the configuration. */
  client_secret: z.string().exactOptional(),
  token_endpoint_auth_method: z.string().exactOptional(),
  issuer: z.string(),
});
export type RegisteredClient = z.output<typeof clientSchema>;

const credentialsSchema = z.object({
  /** The issuer of the last login. */
  latest: z.string(),
  /** A client and its tokens count only at the authorization server that gave them (RFC 6749, section 2.2). */
  issuers: z.record(
    z.string(),
    z.object({ client: clientSchema.exactOptional(), tokens: tokensSchema.exactOptional() }),
  ),
  /** Rights that a call needed and the login has not; the next login asks for them too. */
  wanted: z.string().exactOptional(),
});
export type Credentials = z.output<typeof credentialsSchema>;

const loginsSchema = z.object({
  version: z.literal(1),
  servers: z.record(z.string(), credentialsSchema),
  /** Servers whose credentials are elsewhere, in a keychain, each with a word that changes whenever they do. */
  kept: z.record(z.string(), z.string()).exactOptional(),
});
/** All servers' credentials by the servers' addresses, as they are in a file. */
export type KeptLogins = z.output<typeof loginsSchema>;

/** Null: it is no such text. */
export function readLogins(value: unknown): KeptLogins | null {
  return loginsSchema.safeParse(value).data ?? null;
}

/** Those of one server. Null: it is no such text. */
export function readCredentials(value: unknown): Credentials | null {
  return credentialsSchema.safeParse(value).data ?? null;
}

/** The secrets of one server. All reject with a sentence when the place cannot be read or written. */
export interface CredentialStore {
  read(server: string): Promise<Credentials | null>;
  /** One change after the other, in all processes; null forgets the server. */
  change(server: string, to: (now: Credentials | null) => Credentials | null): Promise<void>;
  /** No other process does such work on this server meanwhile. */
  alone<T>(server: string, work: () => Promise<T>): Promise<T>;
}

/** The tokens in use: of the last login, by the client that is configured now (null: a registered one). */
export function tokensInUse(
  credentials: Credentials | null,
  { clientId }: { readonly clientId: string | null },
  issuer = credentials?.latest,
): Tokens | null {
  const entry = issuer === undefined ? undefined : credentials?.issuers[issuer];
  if (clientId !== null && entry?.client?.client_id !== clientId) return null;
  return entry?.tokens ?? null;
}

/** Another client and its tokens in the place of those of the same issuer. */
export function withTokens(
  now: Credentials | null,
  client: RegisteredClient,
  tokens: Tokens,
): Credentials {
  const issuers = { ...now?.issuers, [tokens.issuer]: { client, tokens } };
  return { ...now, latest: tokens.issuer, issuers };
}

/** After a login, which asked for all that was wanted. */
export function withNothingWanted(now: Credentials | null): Credentials | null {
  if (now === null) return null;
  const { wanted: _, ...kept } = now;
  return kept;
}

/** The client stays, so that a login later finds it. */
export function withoutTokens(now: Credentials | null, issuer: string): Credentials | null {
  const { tokens: _, ...kept } = now?.issuers[issuer] ?? {};
  return now && { ...now, issuers: { ...now.issuers, [issuer]: kept } };
}
