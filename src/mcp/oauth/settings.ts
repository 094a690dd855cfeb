/** `oauth` of a remote server's entry: how to log in, checked; variables are not expanded yet. */
import * as z from "zod";

const text = z.string({ error: "write a text" }).trim().min(1, "write a text");
const webAddress = text.refine(isHttps, "write an https address");

const grants = ["authorization_code", "client_credentials"] as const;

/**
 * Uses the names of other clients: `clientId`, `callbackPort` and `scopes` of Claude Code, `clientSecret` and `scope`
 * of opencode, a list of `scopes` and `enabled` of Gemini CLI. Their other keys are ignored.
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
    // Without the issuer, the MCP server would decide who gets the secret.
    "client_credentials needs clientId, issuer, and clientSecret or privateKey",
  );

function isHttps(value: string): boolean {
  return URL.canParse(value) && new URL(value).protocol === "https:";
}

export interface OAuthSettings {
  /** The id of a client registered by hand; null: by client metadata document or dynamic registration. */
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  /** The https address of a client metadata document, for servers that accept it as the client id. */
  readonly clientMetadataUrl: string | null;
  /** Requested scopes, separated by spaces; null: those that the server names. */
  readonly scope: string | null;
  /** The port on 127.0.0.1 during a login; null: one that is free. */
  readonly callbackPort: number | null;
  /** The only authorization server that may get the client's secret; null: that of the first login. */
  readonly issuer: string | null;
  /** The client logs in as itself, without a user (client_credentials). */
  readonly isMachine: boolean;
  /** PEM; signs an assertion instead of sending a secret (private_key_jwt). */
  readonly privateKey: string | null;
  /** The signature's algorithm, such as RS256. */
  readonly algorithm: string;
}

/** Null: Parley never logs in to the server. */
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
