/** Why a login did not come about, as sentences without a secret in them. */

import {
  AuthorizationServerMismatchError,
  IssuerMismatchError,
  OAuthError,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../shared/json.ts";
import { clip, visible } from "../../shared/visible.ts";

/** Characters; what a server says may be a whole page. */
const longest = 300;

export function loginFailure(error: unknown, secrets: readonly string[]): string {
  if (error instanceof IssuerMismatchError) {
    return `The answer is not from the authorization server that was asked (${shown(error.message, secrets)}), so it was not used and nothing was kept.`;
  }
  if (error instanceof AuthorizationServerMismatchError) {
    return `The client and the login belong to another authorization server (${shown(error.recordedIssuer, secrets)}) than the one that the server names now (${shown(error.currentIssuer, secrets)}), so nothing was sent there. If the move is right, log out, and log in again.`;
  }
  if (error instanceof OAuthError) {
    return `The authorization server refused: ${shown(`${error.code}: ${error.message}`, secrets)}`;
  }
  return shown(messageOf(error), secrets);
}

/** The text without these secrets, and without what looks like a token in a query or in JSON. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, "…");
  return clean.replace(
    /\b((?:access|refresh|id)_token|client_secret|client_assertion|code|code_verifier)(["']?\s*[=:]\s*["']?)[^\s"'&,}]{6,}/g,
    "$1$2…",
  );
}

/** What a server said, made harmless and short. */
export function shown(text: string, secrets: readonly string[]): string {
  const clean = withoutSecrets(text, secrets);
  const { text: first, cut } = clip(clean, longest);
  return `${visible(first)}${cut ? "…" : ""}`;
}
