/** Describes why a login failed, as sentences without any secret. */
import {
  AuthorizationServerMismatchError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { isObject, messageOf } from "../../shared/json.ts";
import { withoutSecretTexts } from "../../shared/secrets.ts";
import { ellipsize, visible } from "../../shared/visible.ts";

export interface FailedLogin {
  /** The origin of the last server that was asked. */
  readonly asked: string;
  /** Texts that the sentence must not contain. */
  readonly secrets: readonly string[];
  /** The client logs in without a user. */
  readonly isMachine?: boolean;
}

/** Suggests no `issuer` to a machine client, whose secret never goes to a server with a mismatching issuer. */
export function loginFailure(error: unknown, failed: FailedLogin): string {
  const { asked, secrets } = failed;
  if (error instanceof IssuerMismatchError) return otherIssuer(error, failed);
  if (error instanceof AuthorizationServerMismatchError) return otherServer(error, failed);
  if (error instanceof OAuthError) {
    const status = unreadable.exec(error.message);
    if (status !== null) return refusedWithoutReason(status[1], failed);
    return `The authorization server refused: ${shown(`${error.code}: ${error.message}`, secrets)}`;
  }
  const reason = unregistered(error);
  // GitHub and Slack offer no dynamic client registration, and others restrict it.
  if (reason !== null) {
    return `The authorization server did not register Parley as a program (${shown(reason, secrets)}). Put your own token into headers, such as "Authorization": "Bearer \${env:TOKEN}"; or register a program with the service, with the redirect address http://127.0.0.1:PORT/callback, and write its clientId and the PORT as callbackPort into the server's oauth.`;
  }
  return notOAuth(error, asked) ?? shown(messageOf(error), secrets);
}

function otherIssuer(
  error: IssuerMismatchError,
  { secrets, isMachine = false }: FailedLogin,
): string {
  if (error.kind !== "metadata") {
    return `The answer is not from the authorization server that was asked (${shown(error.message, secrets)}), so it was not used and nothing was kept.`;
  }
  const received = shown(error.received ?? "nothing", secrets);
  const sentence = `The authorization server calls itself ${received}, but the MCP server names ${shown(error.expected ?? "", secrets)}. They have to be the same (RFC 8414), so nothing was sent there.`;
  if (isMachine) return sentence;
  return `${sentence} If you know that it is right, as with Atlassian or Slack, write "oauth": { "issuer": "${received}" } into the server's entry and log in again.`;
}

function otherServer(
  { recordedIssuer, currentIssuer }: AuthorizationServerMismatchError,
  { secrets, isMachine = false }: FailedLogin,
): string {
  const moved = isMachine ? "correct issuer in the server's oauth" : "log out and log in again";
  return `The client and the login belong to another authorization server (${shown(recordedIssuer, secrets)}) than the one that the server names now (${shown(currentIssuer, secrets)}), so nothing was sent there. If the server has really moved, ${moved}.`;
}

/** How the SDK describes an error response that is not one of OAuth, with its status if it has one. */
const unreadable = /^(?:HTTP (\d{3}): )?Invalid OAuth error response/;

/** A machine logs in again by itself. */
function refusedWithoutReason(
  status: string | undefined,
  { asked, isMachine = false }: FailedLogin,
): string {
  const how = status === undefined ? "" : ` with HTTP ${status}`;
  const next = isMachine ? "" : " Nothing was kept; log in again.";
  return `${asked} refused${how} and gave no reason.${next}`;
}

/** Why the client was not registered; null if the error is about something else. */
function unregistered(error: unknown): string | null {
  if (error instanceof RegistrationRejectedError) {
    const { status, body } = error;
    return body.trim() === "" ? `HTTP ${status}` : `HTTP ${status}: ${body}`;
  }
  const said = messageOf(error);
  return /dynamic client registration/i.test(said) ? said : null;
}

/** The most fields to name. */
const fewFields = 3;

/**
 * A response that is not JSON, or lacks what OAuth requires; null if the error is about something else. The SDK's
 * message repeats its schema.
 */
function notOAuth(error: unknown, asked: string): string | null {
  const issues = issuesOf(error);
  if (issues === null && !(error instanceof SyntaxError) && !(error instanceof TypeError))
    return null;
  const fields = new Set((issues ?? []).flatMap(fieldOf));
  const named = [...fields].slice(0, fewFields).join(", ");
  const where = named === "" ? "" : `: ${named} ${fields.size > 1 ? "are" : "is"} missing or wrong`;
  return `${asked} answered with something that is not OAuth${where}. Nothing was kept. Whoever runs it has to correct that.`;
}

/** What a schema found; null if the error is not from one. */
function issuesOf(error: unknown): readonly unknown[] | null {
  return error instanceof Error && "issues" in error && Array.isArray(error.issues)
    ? error.issues
    : null;
}

/** The name in OAuth of what an issue is about, such as `token_endpoint`. */
function fieldOf(issue: unknown): readonly string[] {
  const field = isObject(issue) && Array.isArray(issue.path) ? issue.path[0] : null;
  return typeof field === "string" ? [field] : [];
}

/** In characters: a server may send a whole page. */
const longest = 300;

/** Hides these secrets, and anything that looks like a token in a query or in JSON. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return withoutSecretTexts(text, secrets, "…").replace(
    /\b((?:access|refresh|id)_token|client_secret|client_assertion|code|code_verifier)(["']?\s*[=:]\s*["']?)[^\s"'&,}]{6,}/g,
    "$1$2…",
  );
}

/** A server's text, shortened, with secrets and control characters hidden. */
export function shown(text: string, secrets: readonly string[]): string {
  return visible(ellipsize(withoutSecrets(text, secrets), longest));
}
