/**
 * Logs in and renews tokens, and describes failures without any secret. This module loads the MCP SDK, so it is only
 * imported when a server requires a login.
 */
import { randomBytes } from "node:crypto";
import {
  type AuthOptions,
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  UnauthorizedError,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { isLocalAddress } from "../../net/local-address.ts";
import { given } from "../../shared/given.ts";
import { addressLines, readWebAddress } from "../web-address.ts";
import { type BoundedFetch, boundedFetch } from "./bounded-fetch.ts";
import { listenForAnswer, readPastedAnswer } from "./callback.ts";
import { type Credentials, tokensInUse, withoutWantedScopes } from "./credentials.ts";
import { loginFailure, shown } from "./login-failure.ts";
import { type LoginProvider, loginProvider, type ServerLogin } from "./provider.ts";

/** What a server's refusal says about how to log in. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

export interface LoginRequest {
  /** The host that the user is about to trust. */
  readonly host: string;
  /** The complete address, http or https. */
  readonly url: string;
  /** Host and address, to be shown before anything is opened. */
  readonly lines: readonly string[];
}

/** The user's response to a login request; `opened`: the answer will come from the browser. */
export type Visit =
  | { readonly type: "declined" }
  | { readonly type: "opened" }
  | { readonly type: "pasted"; readonly text: string };

export interface LoginOptions {
  /** Shows host and address and opens it only after approval. The signal withdraws the question once answered. */
  readonly visit: (request: LoginRequest, signal: AbortSignal) => Promise<Visit>;
  readonly signal: AbortSignal;
  /** How long to wait for the answer. */
  readonly timeoutMs: number;
}

export function challengeOf(response: Response): Challenge {
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...given({ resourceMetadataUrl, scope }),
  };
}

/**
 * Gets new tokens without the user. Rejects with UnauthorizedError if that is not possible, and with a plain error for
 * the user if the authorization server cannot be reached.
 */
export async function renew(
  { server, settings }: ServerLogin,
  provider: OAuthClientProvider,
  challenge: Challenge,
): Promise<void> {
  const bounded = boundedFetch(new URL(server), AbortSignal.timeout(renewTimeoutMs));
  try {
    const result = await auth(
      provider,
      authOptions({ server, settings }, challenge, settings.scope ?? challenge.scope, bounded),
    );
    if (result === "AUTHORIZED") return;
  } catch (error) {
    if (bounded.trouble() === null) {
      const sentence = loginFailure(error, {
        asked: bounded.asked(),
        secrets: secretsOf(settings),
        isMachine: settings.isMachine,
      });
      throw settings.isMachine ? new Error(sentence) : new UnauthorizedError(sentence);
    }
  }
  const trouble = bounded.trouble();
  if (trouble !== null) throw new Error(`Its login could not be renewed: ${trouble}`);
  throw new UnauthorizedError("Its login is no longer accepted.");
}

const renewTimeoutMs = 25_000;

/** Concurrent logins to the same server do not interfere: each has its own port, state and verifier. */
export async function login(
  known: ServerLogin,
  challenge: Challenge,
  { visit, signal, timeoutMs }: LoginOptions,
): Promise<void> {
  const { server, settings, store } = known;
  const state = randomBytes(32).toString("base64url");
  const credentials = await store.read(server);
  const callback = await listenForAnswer(state, settings.callbackPort);
  const answered = new AbortController();
  const patience = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, patience]);
  const provider = loginProvider(known, credentials, { ...callback, state });
  const bounded = boundedFetch(new URL(server), ended);
  const options = authOptions(known, challenge, scopeFor(known, challenge, credentials), bounded);
  const authorize = async (more: Partial<AuthOptions>) => {
    try {
      return await auth(provider, { ...options, ...more });
    } catch (error) {
      const secrets = [...provider.secrets(), more.authorizationCode ?? ""].filter(Boolean);
      throw new Error(
        bounded.trouble() ?? loginFailure(error, { asked: bounded.asked(), secrets }),
      );
    }
  };
  try {
    const begun = await authorize({ forceReauthorization: true });
    const url = provider.authorizationUrl();
    if (begun === "AUTHORIZED" || url === null) return;
    const visited = visit(requestFor(url), answered.signal).then(async (how) => {
      if (how.type === "declined") throw new Error("You declined, so nothing was opened.");
      return how.type === "pasted" ? readPastedAnswer(how.text, state) : callback.answer;
    });
    const answer = await Promise.race([callback.answer, visited, whenAborted(ended)]);
    answered.abort();
    await authorize(await codeOf(answer, provider, bounded.asked()));
    await store.change(server, withoutWantedScopes);
  } catch (error) {
    if (signal.aborted) throw new Error("The login was stopped; nothing was kept.");
    if (patience.aborted) throw new Error(tooLate(timeoutMs));
    throw error;
  } finally {
    answered.abort();
    await callback.close();
  }
}

/**
 * The configured scope, else the one that the server named, else the SDK's choice from the metadata. If a call needed
 * more scopes, they are added to those that the login has (MCP, step-up).
 */
function scopeFor(
  { settings }: ServerLogin,
  { scope }: Challenge,
  credentials: Credentials | null,
): string | undefined {
  const configured = settings.scope ?? undefined;
  const wanted = credentials?.wanted;
  if (wanted === undefined) return configured ?? scope;
  return computeScopeUnion(configured, tokensInUse(credentials, settings)?.scope, wanted);
}

function authOptions(
  { server, settings }: Pick<ServerLogin, "server" | "settings">,
  { resourceMetadataUrl }: Challenge,
  scope: string | undefined,
  { fetch }: BoundedFetch,
): AuthOptions {
  return {
    serverUrl: server,
    fetchFn: fetch,
    // `checkIssuer` compares with the configured issuer instead; the check stays on for a machine's secret.
    skipIssuerMetadataValidation: settings.issuer !== null && !settings.isMachine,
    ...given({ resourceMetadataUrl, scope }),
  };
}

/** Throws an error for the user if no login may happen at this address. */
function requestFor(address: URL): LoginRequest {
  const url = readWebAddress(address.href);
  if (url.protocol !== "https:" && !isLocalAddress(url)) {
    throw new Error(`The address to log in at is not https, so it was not opened: ${url.origin}`);
  }
  return { host: url.host, url: url.href, lines: addressLines(url) };
}

/** Throws an error for the user if the login was refused or another server answered (RFC 9207, section 2.4). */
async function codeOf(
  answer: URLSearchParams,
  provider: LoginProvider,
  asked: string,
): Promise<Pick<AuthOptions, "authorizationCode" | "iss">> {
  const iss = answer.get("iss") ?? undefined;
  const code = answer.get("code");
  if (code !== null && code !== "") {
    return { authorizationCode: code, ...given({ iss }) };
  }
  const metadata = (await provider.discoveryState?.())?.authorizationServerMetadata;
  try {
    // The SDK only checks this before it sends a code.
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata?.issuer,
      issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
    });
  } catch (error) {
    throw new Error(loginFailure(error, { asked, secrets: [] }));
  }
  const reasons = [answer.get("error") ?? "no code", answer.get("error_description") ?? ""];
  throw new Error(`The login was refused: ${shown(reasons.join(" ").trim(), [])}`);
}

function secretsOf({ clientSecret, privateKey }: ServerLogin["settings"]): readonly string[] {
  return [clientSecret, privateKey].filter((secret) => secret !== null);
}

function tooLate(timeoutMs: number): string {
  return `The browser sent no answer within ${Math.round(timeoutMs / 60_000)} minutes; nothing was kept. Log in again; if the browser is on another machine, paste its answer.`;
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, refuse) => {
    signal.addEventListener("abort", () => refuse(signal.reason), { once: true });
    if (signal.aborted) refuse(signal.reason);
  });
}
