/** How one server behind an address is logged in to: `oauth` of its entry, checked; variables are still as written. */
import * as z from "zod";

const text = z.string({ error: "write a text" }).trim().min(1, "write a text");
const webAddress = text.refine(isHttps, "write an https address");

const grants = ["authorization_code", "client_credentials"] as const;

/**
 * Names as other clients have them: `clientId`, `callbackPort` and `scopes` of Claude Code, `clientSecret` and
 * `scope` of opencode, a list of `scopes` and `enabled` of Gemini CLI. Other keys of theirs are passed over.
 */
export const oauthSchema = z
  .object(
    {
      enabled: z.boolean({ error: "write true or false" }).exactOptional(),
      clientId: text.exactOptional(),
      clientSecret: text.exactOptional(),
      clientMetadataUrl: webAddress.exactOptional(),
      scope: text.exactOptional(),
      scopes: z
        .union([text, z.array(text).min(1)], { error: "write a text, or a list of texts" })
        .exactOptional(),
      callbackPort: z
        .int({ error: "write a number from 1024 to 65535" })
        .min(1024, "write a number from 1024 to 65535")
        .max(65535, "write a number from 1024 to 65535")
        .exactOptional(),
      issuer: text.exactOptional(),
      grantType: z
        .enum(grants, { error: "write authorization_code or client_credentials" })
        .exactOptional(),
      privateKey: text.exactOptional(),
      algorithm: text.exactOptional(),
    },
    { error: "write a table, or false" },
  )
  .refine(
    ({ grantType, clientId, clientSecret, privateKey, issuer }) =>
      grantType !== "client_credentials" ||
      (clientId !== undefined &&
        issuer !== undefined &&
        (clientSecret ?? privateKey) !== undefined),
    // Without the issuer, the server would say who gets the secret.
    "client_credentials needs clientId, issuer, and clientSecret or privateKey",
  );

function isHttps(value: string): boolean {
  return URL.canParse(value) && new URL(value).protocol === "https:";
}

export interface OAuthSettings {
  /** Of a client that was registered by hand; null: by metadata document or registration. */
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  /** The https address of a client metadata document, for servers that take one as the client's id. */
  readonly clientMetadataUrl: string | null;
  /** Rights to ask for, with spaces between; null: what the server names. */
  readonly scope: string | null;
  /** Of 127.0.0.1 while a login waits; with null a free one. */
  readonly callbackPort: number | null;
  /** The only authorization server that may get the client's secret; null: the one of the first login. */
  readonly issuer: string | null;
  /** Without a person: the client itself is who logs in. */
  readonly isMachine: boolean;
  /** PEM; signs in place of a secret (private_key_jwt). */
  readonly privateKey: string | null;
  /** Of the signature, such as RS256. */
  readonly algorithm: string;
}

/** Null: the server is never logged in to. */
export function toOAuthSettings(written: z.output<typeof oauthSchema>): OAuthSettings | null {
  return written.enabled === false ? null : settingsOf(written);
}

function settingsOf(written: z.output<typeof oauthSchema>): OAuthSettings {
  const { scopes } = written;
  const listed = typeof scopes === "string" || scopes === undefined ? scopes : scopes.join(" ");
  return {
    clientId: written.clientId ?? null,
    clientSecret: written.clientSecret ?? null,
    clientMetadataUrl: written.clientMetadataUrl ?? null,
    scope: written.scope ?? listed ?? null,
    callbackPort: written.callbackPort ?? null,
    issuer: written.issuer ?? null,
    isMachine: written.grantType === "client_credentials",
    privateKey: written.privateKey ?? null,
    algorithm: written.algorithm ?? "RS256",
  };
}
